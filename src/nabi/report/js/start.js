// Draws the page.

closable();
summary();
matrix();
classTable();
thresholds();
reliability();
words();
learning();
mistakes();
doubts();
document.documentElement.dataset.drawn = "yes";
