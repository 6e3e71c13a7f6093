"""Labelling: from texts without labels to a trusted model. What is asked next, and how good it is.

    pool --Index--> numbers of texts --Queue--> the next texts --Leases--> one person each

`index`: which texts of the pool have no label; `doubt`: which of some texts to ask first; `queue`:
the next texts; `leases`: who has which; `honest`: figures from audit texts alone; `loading`: files
into the pool; `project`: title, classes and their keys; `words`: words of the Try view.
"""
