"""The pictures of irr_chart: a module for each kind, which takes JSON and returns SVG."""
