"""scikit-learn, or one line that says what to install."""

from nabi.errors import MissingExtraError

try:
    from scipy import sparse
    from sklearn.feature_extraction import text
    from sklearn.preprocessing import normalize
except ImportError as error:
    raise MissingExtraError(
        f"nabi.estimators needs scikit-learn ({error}); install it: pip install 'nabi[sklearn]'"
    ) from None

__all__ = ["normalize", "sparse", "text"]
