"""Side-by-side measurements of privlib against other public software."""
