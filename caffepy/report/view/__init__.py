"""``caffepy view``: nets and trainings as one HTML file to look at.

`given` tells a net from a training. `net_data`, `weights` and `activations` say what there is to show of a net, `training` of logs;
`build` puts that together, `page` writes it with the files of ``assets``, and `serve` keeps it up to date.
"""
