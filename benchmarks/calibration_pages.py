def pages(results): return {}
