"""Tables: columns of different kinds, counted side by side.

frame --> kinds (which event model each column has) --> counted --> counts --> scoring --> evidence
"""
