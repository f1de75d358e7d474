"""Numbers that trainings print or report, as curves, and pictures of them: bars of a terminal, lines of SVG."""
