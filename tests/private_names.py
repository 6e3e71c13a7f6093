"""Find code that reaches into another room: private names (`_x`) that its own does not define.

A room is a folder or module directly below the package. Three things make an access foreign:

    import        from nabi.models.text import _x          another room's private name
    known type    def f(model: TextClassifier): model._x   the class is defined in another room
    unknown type  def f(model): model._x                   nothing in this room is called _x

getattr(model, "_x") is an access as well; so is the string "_x", which attrgetter or vars may be
given, where another room defines _x.
"""

import ast
import re
from collections import defaultdict

PRIVATE = re.compile(r"_[a-zA-Z]\w*")
# The kernel, and the methods of named tuples, which are not private.
PUBLIC = {"_native", "_asdict", "_fields", "_make", "_replace"}
MADE_UP = "_made_up_at_run_time"
BY_NAME = {"getattr", "hasattr", "setattr", "delattr"}
BY_LIST = {"attrgetter", "methodcaller", "vars"}
LISTS = ast.Assign | ast.Tuple | ast.List | ast.Set | ast.Dict
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class House:
    """The parsed modules of a package, and where its classes and private names are defined."""

    def __init__(self, folder):
        self.folder = folder
        self.trees = {
            path: ast.parse(path.read_text("utf8")) for path in sorted(folder.rglob("*.py"))
        }
        self.classes, self.private = defaultdict(set), defaultdict(set)
        for path, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    self.classes[node.name].add(self.room(path))
            names = filter(PRIVATE.fullmatch, definitions(tree))
            self.private[self.room(path)].update(names)

    def room(self, path):
        """src/nabi/models/linear/weights.py -> models"""
        return path.relative_to(self.folder).parts[0].removesuffix(".py")

    def reaches(self, allowed=()):
        """`file:line: expression` of each access to another room's private name."""
        return [
            f"{path.relative_to(self.folder.parents[1])}:{line}: {expression}"
            for path, tree in self.trees.items()
            for line, expression, name in Module(self, path, tree).reaches()
            if (self.room(path), name) not in allowed
        ]


def definitions(tree):
    """The private names that a module defines: functions, classes, fields, what self is given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from assigned(node.body)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node):
            yield node.attr


def assigned(statements):
    """The names to which statements assign."""
    for statement in statements:
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = getattr(statement, "targets", None) or [statement.target]
            for node in (node for target in targets for node in ast.walk(target)):
                if isinstance(node, ast.Name):
                    yield node.id


def is_own(node):
    """Whether an attribute is one of self, cls or super()."""
    value = node.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id == "super"
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


class Module:
    """One module: what its names stand for, and the private names that it uses."""

    def __init__(self, house, path, tree):
        self.house, self.room, self.tree = house, house.room(path), tree
        self.package = house.folder.name
        self.imported, self.typed, self.parents = {}, defaultdict(set), {}
        for node in ast.walk(tree):
            self.parents.update((child, node) for child in ast.iter_child_nodes(node))
        self.asks_by_variable = any(map(self._asks_by_variable, ast.walk(tree)))
        for node in [*ast.walk(tree)] * 3:  # again for names that are given by other names
            self._note(node)

    def _note(self, node):
        """Remember what a node says of names: where they come from, of which rooms they are."""
        if isinstance(node, ast.ImportFrom) and (home := self._home(node.module)):
            self.imported.update((alias.asname or alias.name, home) for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname and (home := self._home(alias.name)):
                    self.imported[alias.asname] = home
        elif isinstance(node, ast.arg):
            self.typed[self._scope(node), node.arg] |= self._rooms(node.annotation)
        elif isinstance(node, ast.AnnAssign):
            self._say(node.target, self._rooms(node.annotation))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._say(target, self._type(node.value))

    def _home(self, module):
        """nabi.models.text -> models"""
        parts = (module or "").split(".")
        return parts[1] if parts[0] == self.package and len(parts) > 1 else None

    def _say(self, target, rooms):
        """Remember the rooms of a name, or of an attribute of self."""
        if isinstance(target, ast.Name):
            is_field = isinstance(self.parents[self.parents[target]], ast.ClassDef)
            self.typed["self" if is_field else self._scope(target), target.id] |= rooms
        elif isinstance(target, ast.Attribute) and is_own(target):
            self.typed["self", target.attr] |= rooms

    def _rooms(self, annotation):
        """The rooms of the classes that an annotation names."""
        if annotation is None:
            return set()
        words = re.findall(r"\w+", ast.unparse(annotation))
        return {room for word in words for room in self.house.classes.get(word, ())}

    def _type(self, value):
        """The rooms of the classes of which a value may be, none where that cannot be seen."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            return self.house.classes.get(value.func.id, set())
        if isinstance(value, ast.Attribute) and is_own(value):
            return self.typed["self", value.attr]
        if isinstance(value, ast.Name):
            return self._named(value)
        return set()

    def _named(self, name):
        """The rooms of a name: of the innermost function that binds it, or of its import."""
        scope = self._scope(name)
        while scope is not None:
            if (scope, name.id) in self.typed:
                return self.typed[scope, name.id]
            scope = self._scope(scope) if scope is not self.tree else None
        home = self.imported.get(name.id)
        return self.house.classes.get(name.id) or ({home} if home else set())

    def _scope(self, node):
        """The function around a node, or the module."""
        while node is not self.tree:
            node = self.parents[node]
            if isinstance(node, FUNCTIONS):
                break
        return node

    def reaches(self):
        """(line, expression, name) of each access to another room's private name."""
        for node in ast.walk(self.tree):
            for name, value in self._accesses(node):
                if PRIVATE.fullmatch(name) and name not in PUBLIC and self._is_foreign(name, value):
                    yield node.lineno, ast.unparse(node), name

    def _accesses(self, node):
        """(name, the object of which it is an attribute) of what a node may touch."""
        if isinstance(node, ast.Attribute):
            yield node.attr, node.value
        elif isinstance(node, ast.ImportFrom):
            parts = (node.module or "").split(".")
            yield from ((name, node) for name in (*parts, *(alias.name for alias in node.names)))
        elif isinstance(node, ast.Import):
            yield from ((part, node) for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.MatchClass):
            yield from ((name, node.cls) for name in node.kwd_attrs)
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg, node
        elif self._asks(node):
            yield self._spelled(node.args[1]), node.args[0]
        elif isinstance(node, ast.Constant) and self._is_handed_over(node):
            yield str(node.value), node

    def _is_handed_over(self, constant):
        """Whether a constant may be an attribute's name: an argument, or in a list for getattr."""
        around = self.parents[constant]
        if isinstance(around, ast.Call | ast.Subscript):
            return not self._asks(around)
        return isinstance(around, LISTS) and self.asks_by_variable

    def _asks_by_variable(self, node):
        """Whether a node asks for attributes whose names stand elsewhere."""
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            return name in BY_LIST or name in ("__dict__", "__getattribute__")
        return self._asks(node) and not isinstance(node.args[1], ast.Constant)

    @staticmethod
    def _asks(node):
        """Whether a node is a call of getattr or the like."""
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        return named and node.func.id in BY_NAME and len(node.args) > 1

    @staticmethod
    def _spelled(name):
        """The name that getattr is given; of one that is put together, whether it is private."""
        start = name
        while isinstance(start, ast.JoinedStr | ast.BinOp):
            start = start.values[0] if isinstance(start, ast.JoinedStr) else start.left
        text = start.value if isinstance(start, ast.Constant) else ""
        return MADE_UP if start is not name and text.startswith("_") else str(text)

    def _is_foreign(self, name, value):
        """Whether a private name, an attribute of this value, is one of another room."""
        if isinstance(value, ast.ImportFrom | ast.Import):
            return self._home(getattr(value, "module", None)) != self.room
        if isinstance(value, ast.Constant):
            homes = {room for room, names in self.house.private.items() if name in names}
            return bool(homes) and self.room not in homes
        if self._is_self(value):
            return False
        rooms = self._type(value)
        return self.room not in rooms if rooms else name not in self.house.private[self.room]

    def _is_self(self, value):
        """Whether a value is super(), or self or cls of a method; a plain function has none."""
        if not is_own(ast.Attribute(value, "_")):
            return False
        scope = self._scope(value)
        return (
            isinstance(value, ast.Call)
            or isinstance(self.parents.get(scope), ast.ClassDef)
            or self._scope(scope) is not self.tree  # within a method, or in a decorator of them
        )
