"""Parts that the report and the server's page share: ES modules, a style, and inlining."""
