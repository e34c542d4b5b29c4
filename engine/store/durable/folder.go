package durable

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"loadgen/engine/entity"
)

// Options says which folder holds which tables.
type Options struct {
	// Folder is created if missing.
	Folder string
	// Account is whose tables these are; a folder holds those of one.
	Account string
	// Sync acknowledges a write once it is on the disk, and not before.
	Sync bool
	// MemTableBytes is how much is gathered in memory before it is written into a table;
	// it is in the log from the beginning. 0 is 32 MiB.
	MemTableBytes uint64
	// FS is the file system of the folder; nil is the machine's.
	FS FS
}

// FS is a file system, such as one in memory.
type FS = vfs.FS

// The files in addition to those of the log-structured store. Marker says what the folder is; it
// comes first, so that a folder without one has never held a table.
const (
	marker        = "loadgen-tables.json"
	markerPartial = marker + partialSuffix
	lockFile      = "LOCK"
)

// format is what the marker says.
type format struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Account string `json:"account"`
}

// formatName and formatVersion are those of folders that this package writes.
const (
	formatName    = "loadgen tables"
	formatVersion = 1
)

// Open opens a folder. Its error wraps one of this package's, or the system's.
func Open(o Options) (s *Store, err error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = memTableBytes
	}
	s = &Store{options: o, failed: make(chan struct{}), guards: guards{of: make(map[string]*guard)},
		tables: make(map[string]*table), notes: make(map[string][]byte), deleted: make(map[string]entity.Ticks)}
	if err := s.claim(); err != nil {
		return nil, cmp.Or(err, s.release())
	}
	s.logs = logList{fs: o.FS, folder: o.Folder}
	if err = s.logs.open(); err == nil {
		err = s.openBatches()
	}
	if err == nil {
		err = s.load()
	}
	if cause := s.Err(); cause != nil {
		err = cause // what the log-structured store has made of it says less
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %s is missing", ErrDamaged, path.Path)
	}
	if err != nil {
		s.fail(err)
		return nil, cmp.Or(plain(err), s.abandon())
	}
	return s, nil
}

// claim makes the folder, locks it, and checks that this package has made it.
func (s *Store) claim() error {
	o := &s.options
	if info, err := o.FS.Stat(o.Folder); err == nil && !info.IsDir() {
		return ErrNoFolder
	}
	if err := o.FS.MkdirAll(o.Folder, 0o700); err != nil {
		return plain(err)
	}
	// The lock is a file, which a folder that is refused does not get.
	if _, err := s.recognise(); err != nil {
		return err
	}
	var err error
	if s.lock, err = pebble.LockDirectory(o.Folder, o.FS); err != nil {
		s.lock = nil
		if errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "lock held") {
			return ErrInUse
		}
		return plain(err)
	}
	// Another process may have created it meanwhile.
	isMarked, err := s.recognise()
	if err == nil && !isMarked {
		err = plain(s.mark())
	}
	return err
}

// recognise reports whether the folder has a marker, or is empty. Any other folder is an error.
func (s *Store) recognise() (isMarked bool, err error) {
	names, err := s.options.FS.List(s.options.Folder)
	if err != nil {
		return false, plain(err)
	}
	foreign := func(name string) bool { return name != lockFile && name != markerPartial }
	switch isMarked = slices.Contains(names, marker); {
	case isMarked:
		err = cmp.Or(s.readMarker(), recogniseFormat(names))
	case slices.ContainsFunc(names, foreign):
		err = ErrForeign
	}
	return isMarked, err
}

// mark writes the marker.
func (s *Store) mark() error {
	o := &s.options
	text, err := json.Marshal(format{formatName, formatVersion, o.Account})
	if err != nil {
		return err
	}
	if err := replaceFile(o.FS, o.Folder, marker, text); err != nil {
		return err
	}
	return syncFolder(o.FS, o.FS.PathDir(o.Folder))
}

// readMarker reads the marker.
func (s *Store) readMarker() error {
	o := &s.options
	file, err := o.FS.Open(o.FS.PathJoin(o.Folder, marker))
	if err != nil {
		return plain(err)
	}
	text, err := io.ReadAll(io.LimitReader(file, 1<<12))
	if err = cmp.Or(err, file.Close()); err != nil {
		return plain(err)
	}
	var found format
	switch err := json.Unmarshal(text, &found); {
	case err != nil || found.Format != formatName || found.Version < 1:
		return fmt.Errorf("%w: %s does not say what it is", ErrDamaged, marker)
	case found.Version > formatVersion:
		return fmt.Errorf("%w: format %d, and this one reads %d", ErrNewer, found.Version, formatVersion)
	case found.Account != o.Account:
		return fmt.Errorf("%w: %.40q, expected %.40q", ErrAccount, found.Account, o.Account)
	}
	return nil
}

// recogniseFormat reads the version of the log-structured store, which the name of one of its files ends with.
func recogniseFormat(names []string) error {
	for _, name := range names {
		marker, isMarker := strings.CutPrefix(name, "marker.format-version.")
		if !isMarker {
			continue
		}
		_, text, _ := strings.Cut(marker, ".")
		version, err := strconv.ParseUint(text, 10, 64)
		switch found := pebble.FormatMajorVersion(version); {
		case err != nil:
			return fmt.Errorf("%w: %s", ErrDamaged, name)
		case found < pebble.FormatMinSupported:
			return fmt.Errorf("%w: store format %d, and this one reads %d to %d", ErrOlder, found, pebble.FormatMinSupported, storeFormat)
		case found > storeFormat:
			return fmt.Errorf("%w: store format %d, and this one reads %d to %d", ErrNewer, found, pebble.FormatMinSupported, storeFormat)
		}
	}
	return nil
}

// storeFormat is the version of the log-structured store that folders have.
const storeFormat = pebble.FormatValueSeparation

// The sizes of the log-structured store: what it keeps in memory is bounded by them.
const (
	cacheBytes    = 64 << 20
	memTableBytes = 32 << 20
	bitsPerKey    = 10
)

// openBatches opens the log-structured store, whose complaints while it is opened are
// panics.
func (s *Store) openBatches() (err error) {
	defer func() {
		if complaint := recover(); complaint != nil {
			err = complaintError(complaint)
		}
	}()
	s.opening.Store(true)
	defer s.opening.Store(false)
	o := &pebble.Options{
		FS: watched{s.options.FS, s}, Lock: s.lock, Logger: logger{s}, Merger: merger,
		FormatMajorVersion: storeFormat,
		CacheSize:          cacheBytes, MemTableSize: s.options.MemTableBytes, MemTableStopWritesThreshold: 3,
		L0CompactionThreshold: 2, L0StopWritesThreshold: 100,
		EventListener: &pebble.EventListener{
			BackgroundError: s.fail,
			DataCorruption:  func(info pebble.DataCorruptionInfo) { s.fail(fmt.Errorf("%w: %s", ErrDamaged, info.Path)) },
		},
	}
	for i := range o.Levels {
		o.Levels[i].BlockSize, o.Levels[i].FilterPolicy = 32<<10, bloom.FilterPolicy(bitsPerKey)
	}
	s.db, err = pebble.Open(s.options.Folder, o)
	return err
}

// plain returns what is wrong in as few words as say it: the log-structured store's
// errors carry where they came about.
func plain(err error) error {
	switch path := (*fs.PathError)(nil); {
	case err == nil:
		return nil
	case errors.As(err, &path):
		return &fs.PathError{Op: path.Op, Path: path.Path, Err: path.Err}
	case pebble.IsCorruptionError(err), errors.Is(err, pebble.ErrCorruption):
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return err
}

// release gives up the lock of the folder.
func (s *Store) release() error {
	if s.lock == nil {
		return nil
	}
	defer func() { s.lock = nil }()
	return s.lock.Close()
}

// Close ends the store, once what is under way is through. What was written is in the
// folder, also without Options.Sync. Of a store that has failed it closes what can be.
func (s *Store) Close() error {
	s.alive.Lock()
	defer s.alive.Unlock()
	if s.db == nil {
		return nil
	}
	if s.Err() != nil {
		return s.abandon()
	}
	// Table files have checksums. The log has them as well, except for
	// its end, which is allowed to be torn: better to leave none behind.
	err := cmp.Or(s.db.Flush(), s.db.Close())
	s.db = nil
	if cause := s.Err(); cause != nil {
		err = cause
	}
	s.cause.CompareAndSwap(nil, &failure{errClosed})
	return cmp.Or(plain(err), s.release())
}

// abandon lets go of a folder that has failed. Nothing of it is altered: what the
// log-structured store has to complain of when it ends is no news.
func (s *Store) abandon() error {
	if s.db != nil {
		func() {
			defer func() { _ = recover() }()
			_ = s.db.Close()
		}()
		s.db = nil
	}
	return s.release()
}

// The reasons for which a folder is refused; test for them with errors.Is. Others are
// the system's own, such as a disk that is full.
var (
	// ErrInUse: another process, or this one, has the folder open.
	ErrInUse = errors.New("it is in use; expected a folder that no other serve has open")
	// ErrForeign: the folder holds something else than tables of this program.
	ErrForeign = errors.New("it holds files of something else; expected an empty folder, or one that serve has made")
	// ErrNewer: a later version of this program has written the folder.
	ErrNewer = errors.New("a newer version of loadgen has written it")
	// ErrOlder: an earlier version of this program has written the folder, in a format that is no longer read.
	ErrOlder = errors.New("a version of loadgen that is too old has written it")
	// ErrDamaged: what is in the folder is not what was written.
	ErrDamaged = errors.New("it is damaged")
	// ErrAccount: the folder holds the tables of another account.
	ErrAccount = errors.New("it holds another account")
	// ErrNoFolder: there is a file of that name.
	ErrNoFolder = errors.New("it is a file; expected a folder")
)

// errClosed is what a store has failed with that was closed.
var errClosed = errors.New("durable: the store is closed")
