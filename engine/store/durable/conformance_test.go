package durable_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"loadgen/engine"
	"loadgen/engine/store/durable"
	"loadgen/engine/store/storetest"
)

var _ engine.Store = (*durable.Store)(nil)

// on opens a store on a file system, which the test closes at its end unless it is closed
// by then.
func on(t testing.TB, fs vfs.FS, sync bool) *durable.Store {
	t.Helper()
	s, err := durable.Open(durable.Options{Folder: "data", Account: "races", Sync: sync, FS: fs})
	if err != nil {
		t.Fatalf("Open = %v; want no error", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v; want no error", err)
		}
	})
	return s
}

func inMemory(sync bool) storetest.Opener {
	return func(t testing.TB) engine.Store { return on(t, vfs.NewMem(), sync) }
}

func TestConformance(t *testing.T) {
	t.Run("sync", func(t *testing.T) { storetest.Conformance(t, inMemory(true)) })
	t.Run("nosync", func(t *testing.T) { storetest.Conformance(t, inMemory(false)) })
}

// The store is closed and opened anew now and then.
func TestAgainstMap(t *testing.T) {
	fs := map[engine.Store]vfs.FS{}
	open := func(t testing.TB) engine.Store {
		files := vfs.NewMem()
		s := on(t, files, len(fs)%2 == 0)
		fs[s] = files
		return s
	}
	again := func(s engine.Store) engine.Store {
		if err := s.(*durable.Store).Close(); err != nil {
			t.Fatalf("Close = %v; want no error", err)
		}
		anew := on(t, fs[s], len(fs)%2 == 0)
		fs[anew] = fs[s]
		return anew
	}
	storetest.Model(t, tier(6, 24, 200), open, again)
}
