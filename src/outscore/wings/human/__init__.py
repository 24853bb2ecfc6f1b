"""Human evaluation: the rules of WMT beside ours, and plans of how many documents and ratings are needed."""
