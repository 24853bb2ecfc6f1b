from outscore._version import __version__
