"""Net definitions to graphs: phase filter, splits, shapes, parameters, what needs backward."""
