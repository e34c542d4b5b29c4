package durable

import "errors"

// The reasons for which a folder is refused; test for them with errors.Is. Others are
// the system's own, such as a disk that is full.
var (
	// ErrInUse: another process, or this one, has the folder open.
	ErrInUse = errors.New("it is in use; expected a folder that no other serve has open")
	// ErrForeign: the folder holds something else than tables of this program.
	ErrForeign = errors.New("it holds files of something else; expected an empty folder, or one that serve has made")
	// ErrNewer: a later version of this program has written the folder.
	ErrNewer = errors.New("a newer version of loadgen has written it")
	// ErrDamaged: what is in the folder is not what was written.
	ErrDamaged = errors.New("it is damaged")
	// ErrAccount: the folder holds the tables of another account.
	ErrAccount = errors.New("it holds another account")
	// ErrNoFolder: there is a file of that name.
	ErrNoFolder = errors.New("it is a file; expected a folder")
)

// errClosed is what a store has failed with that was closed.
var errClosed = errors.New("durable: the store is closed")
