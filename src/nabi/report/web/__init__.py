"""What the report and the server's page share: ES modules, a style, and how to inline them."""
