"""``caffepy view``: nets and trainings as one HTML file to look at.

`given` tells a net from a training. `net_data`, `weights`, `activations` and `training` collect
what there is to show, and `build` puts it together. `page` writes it with the files of ``assets``.
`serve` keeps a page up to date.
"""
