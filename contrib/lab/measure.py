def add_options(p): pass
demo = bench = None
