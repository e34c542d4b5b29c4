package serve_test

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
	"loadgen/engine/store/durable"
)

// What was written is there after the next start, whichever way writes are acknowledged,
// and beside archives.
func TestTablesLast(t *testing.T) {
	for _, how := range []string{"", serve.Sync, serve.NoSync} {
		t.Run("durability "+how, func(t *testing.T) {
			t.Parallel()
			o := serve.Options{DataDir: "data", FS: vfs.NewMem(), Durability: how, Export: t.TempDir() + "/all.jsonl"}
			s := open(t, o)
			s.Must(entity.CreateTable, "Races", "", "")
			s.Must(entity.CreateTable, "Gone", "", "")
			for i := range 3 {
				s.Must(entity.Insert, "Races", "p", fmt.Sprint(i), everyType()...)
			}
			s.Must(entity.Delete, "Races", "p", "1")
			s.Must(entity.DeleteTable, "Gone", "", "")
			s.stop()
			require.NoError(t, s.Close())
			s = open(t, o)
			assert.Equal(t, []serve.Table{{Name: "Races", Entities: 2}}, s.state().Tables, "tables after the next start")
			assert.Equal(t, "data", s.state().DataDir, "data_dir")
			kept := s.Must(entity.Get, "Races", "p", "2").Entity
			for _, p := range everyType() {
				got, _ := kept.Lookup(p.Name)
				assert.Truef(t, got.Equal(p.Value), "%s = %v; want %v", p.Name, got, p.Value)
			}
			assert.Equal(t, http.StatusNotFound, s.Try(entity.Get, "Races", "p", "1").Status, "what was deleted is answered with")
			assert.Equal(t, entity.TableBeingDeleted, s.Try(entity.CreateTable, "GONE", "", "").Code,
				"a name that is kept back is answered with")
			s.wantJournal("(tables: 1, entities: 2)")
		})
	}
}

// A folder whose disk fails answers no more, ends the service with the cause, and leaves
// the archive of before alone.
func TestAFolderThatFails(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"all.jsonl": "precious"})
	var full atomic.Bool
	files := vfs.NewMem()
	disk := errorfs.Wrap(files, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && op.Kind == errorfs.OpFileWrite {
			return syscall.ENOSPC
		}
		return nil
	}))
	s := open(t, serve.Options{DataDir: "data", FS: disk, Export: "all.jsonl"})
	s.Must(entity.CreateTable, "Races", "", "")
	s.Must(entity.Insert, "Races", "p", "1")
	full.Store(true)
	for _, verb := range []entity.Verb{entity.Insert, entity.InsertOrMerge, entity.Get} {
		assert.Equalf(t, http.StatusInternalServerError, s.Try(verb, "Races", "p", "2").Status, "%v on a full disk", verb)
	}
	select {
	case <-s.Failed():
	default:
		t.Error("Failed is open; want it closed")
	}
	status, _ := s.get(serve.HealthPath)
	assert.Equal(t, http.StatusServiceUnavailable, status, serve.HealthPath)
	s.stop()
	assert.ErrorIs(t, s.Close(), syscall.ENOSPC, "Close")
	assert.Equal(t, "precious", string(must(os.ReadFile("all.jsonl"))(t)), "the export")
	s = open(t, serve.Options{DataDir: "data", FS: files})
	s.Must(entity.Get, "Races", "p", "1")
}

// The options about where tables are kept, each fault with its field.
func TestFaultsOfTheFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"file": ""})
	for _, row := range []struct {
		sentence    string
		options     serve.Options
		field, says string
	}{
		{"a file is no folder", serve.Options{DataDir: "file"}, "data-dir", ""},
		{"a folder of something else", serve.Options{DataDir: "."}, "data-dir", ""},
		{"a durability that there is not", serve.Options{DataDir: "data", Durability: "fsync"}, "durability", "sync or nosync"},
		{"a durability of memory", serve.Options{Durability: serve.Sync}, "durability", "--data-dir"},
		{"an export now and then of nothing", serve.Options{ExportEvery: 1e9}, "export-every", "--export"},
		{"an export all the time", serve.Options{Export: "x.csv", ExportEvery: 1}, "export-every", "1s or more"},
	} {
		wantFault(t, row.sentence, row.options, row.field, row.says)
	}
	s := open(t, serve.Options{DataDir: "data"})
	assert.ErrorIs(t, wantFault(t, "a folder in use", serve.Options{DataDir: "data"}, "data-dir"), durable.ErrInUse,
		"Open of a folder in use")
	s.stop()
}
