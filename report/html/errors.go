package html

import "errors"

// ErrPicture says that a picture is not one that a page takes in.
var ErrPicture = errors.New("html: picture cannot be shown")
