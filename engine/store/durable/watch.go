package durable

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// watched is a file system that has the store fail with the first error that loses
// something, and that nothing alters any more from then on: each write is taken and
// nothing is kept. What is on the disk is what a crash at that moment would have left
// there. The log-structured store hears of no such error, since some of them it answers
// with an end of the process; the store reports it to the writer.
type watched struct {
	vfs.FS
	store *Store
}

// frozen reports whether nothing is to be altered any more.
func (w watched) frozen() bool { return w.store.Err() != nil }

// wrapFile returns a file to be written to, or one that keeps nothing.
func (w watched) wrapFile(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		w.store.fail(err)
		f = vfs.NewMemFile(nil)
	}
	return watchedFile{f, w}, nil
}

// Create implements [vfs.FS].
func (w watched) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if w.frozen() {
		return w.wrapFile(vfs.NewMemFile(nil), nil)
	}
	f, err := w.FS.Create(name, category)
	if err == nil {
		w.listed(w.store.logs.add(name))
	}
	return w.wrapFile(f, err)
}

// listed reports whether the list of logs was written. Otherwise the store fails.
func (w watched) listed(err error) bool {
	if err != nil {
		w.store.fail(err)
	}
	return err == nil
}

// ReuseForWrite implements [vfs.FS].
func (w watched) ReuseForWrite(oldName, newName string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if w.frozen() {
		return w.wrapFile(vfs.NewMemFile(nil), nil)
	}
	if !w.listed(w.store.logs.remove(oldName)) {
		return w.wrapFile(vfs.NewMemFile(nil), nil)
	}
	f, err := w.FS.ReuseForWrite(oldName, newName, category)
	if err == nil {
		w.listed(w.store.logs.add(newName))
	}
	return w.wrapFile(f, err)
}

// OpenReadWrite implements [vfs.FS].
func (w watched) OpenReadWrite(name string, category vfs.DiskWriteCategory, options ...vfs.OpenOption) (vfs.File, error) {
	if w.frozen() {
		return w.wrapFile(vfs.NewMemFile(nil), nil)
	}
	return w.wrapFile(w.FS.OpenReadWrite(name, category, options...))
}

// OpenDir implements [vfs.FS].
func (w watched) OpenDir(name string) (vfs.File, error) { return w.wrapFile(w.FS.OpenDir(name)) }

// Open implements [vfs.FS]. That a file is missing matters to who asked for it alone.
func (w watched) Open(name string, options ...vfs.OpenOption) (vfs.File, error) {
	f, err := w.FS.Open(name, options...)
	if err != nil {
		return nil, err
	}
	return watchedFile{f, w}, nil
}

// Rename implements [vfs.FS].
func (w watched) Rename(oldName, newName string) error {
	if !w.frozen() {
		if err := w.FS.Rename(oldName, newName); err != nil {
			w.store.fail(err)
		}
	}
	return nil
}

// Link implements [vfs.FS].
func (w watched) Link(oldName, newName string) error {
	if w.frozen() {
		return nil
	}
	return w.FS.Link(oldName, newName)
}

// Remove implements [vfs.FS]. A file that cannot be removed does no harm.
func (w watched) Remove(name string) error {
	if w.frozen() {
		return nil
	}
	if !w.listed(w.store.logs.remove(name)) {
		return nil
	}
	return w.FS.Remove(name)
}

// RemoveAll implements [vfs.FS].
func (w watched) RemoveAll(name string) error {
	if w.frozen() {
		return nil
	}
	return w.FS.RemoveAll(name)
}

// Unwrap implements [vfs.FS].
func (w watched) Unwrap() vfs.FS { return w.FS }

// watchedFile is a file of a watched file system.
type watchedFile struct {
	vfs.File
	of watched
}

// wrote has the store fail with an error, if it is one.
func (f watchedFile) wrote(err error) error {
	if err != nil {
		f.of.store.fail(err)
	}
	return nil
}

// read has the store fail with an error that is not the end of the file, and returns it.
func (f watchedFile) read(err error) error {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !f.of.frozen() {
		f.of.store.fail(err)
	}
	return err
}

// Read implements [vfs.File].
func (f watchedFile) Read(room []byte) (int, error) {
	n, err := f.File.Read(room)
	return n, f.read(err)
}

// ReadAt implements [vfs.File].
func (f watchedFile) ReadAt(room []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(room, at)
	return n, f.read(err)
}

// Write implements [vfs.File].
func (f watchedFile) Write(text []byte) (int, error) {
	if f.of.frozen() {
		return len(text), nil
	}
	_, err := f.File.Write(text)
	return len(text), f.wrote(err)
}

// WriteAt implements [vfs.File].
func (f watchedFile) WriteAt(text []byte, at int64) (int, error) {
	if f.of.frozen() {
		return len(text), nil
	}
	_, err := f.File.WriteAt(text, at)
	return len(text), f.wrote(err)
}

// Preallocate implements [vfs.File]. What it cannot do, the writes tell.
func (f watchedFile) Preallocate(offset, length int64) error {
	if !f.of.frozen() {
		_ = f.File.Preallocate(offset, length)
	}
	return nil
}

// Sync implements [vfs.File].
func (f watchedFile) Sync() error {
	if f.of.frozen() {
		return nil
	}
	return f.wrote(f.File.Sync())
}

// SyncData implements [vfs.File].
func (f watchedFile) SyncData() error {
	if f.of.frozen() {
		return nil
	}
	return f.wrote(f.File.SyncData())
}

// SyncTo implements [vfs.File].
func (f watchedFile) SyncTo(length int64) (bool, error) {
	if f.of.frozen() {
		return true, nil
	}
	full, err := f.File.SyncTo(length)
	return full || err != nil, f.wrote(err)
}

// Close implements [vfs.File].
func (f watchedFile) Close() error { return f.wrote(f.File.Close()) }
