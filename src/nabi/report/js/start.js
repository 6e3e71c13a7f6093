// Draws the page.

/** Leave out what this model does not have. */
function leaveOut(id) {
  byId(id).remove();
  document.querySelector(`nav a[href$="#${id}"]`).parentNode.remove();
}

if (data.words === null) leaveOut("words");
if (data.learning === null) leaveOut("learning");
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
