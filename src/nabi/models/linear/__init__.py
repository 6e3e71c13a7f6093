"""Linear models of text: logistic regression and support vector machines."""
