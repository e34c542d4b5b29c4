package azure_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

// Many goroutines share the room of a target; each gets the reply to its own
// request, and each request has its own headers and body.
func TestConcurrentUse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		id := r.Header.Get("x-ms-client-request-id")
		number := strings.TrimPrefix(id, "run7-")
		switch {
		case err != nil:
			w.WriteHeader(http.StatusBadRequest)
		case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "RowKey='row"+number+"'"):
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"PartitionKey":"NYC 2011","RowKey":"row%s","Timestamp":"2026-11-20T11:48:20Z","Echo":"%s"}`, number, number)
		case r.Method == http.MethodPost && strings.Contains(string(body), `"RowKey":"row`+number+`"`) &&
			r.Header.Get("Prefer") == "return-no-content" && len(r.Header["If-Match"]) == 0:
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodDelete && r.Header.Get("If-Match") == "*" && len(r.Header["Content-Type"]) == 0 && len(body) == 0:
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	defer server.Close()
	const workers, each = 8, 60
	subject := open(t, azure.Options{Endpoint: endpointAt(t, server.URL+"/races"), Connections: workers})
	var working sync.WaitGroup
	for worker := range workers {
		working.Go(func() {
			for i := range each {
				number := worker*each + i
				row := fmt.Sprintf("row%d", number)
				op := get(row)
				switch number % 3 {
				case 1:
					op = single(entity.Insert, row, entity.Match{})
				case 2:
					op = single(entity.Delete, row, entity.MatchAny)
				}
				op.Number = uint64(number)
				got := subject.Do(context.Background(), &op)
				if got.Class(target.Expected{}) != results.Ok || got.Counted != 1 {
					t.Errorf("%v %d = %+v; want a success", op.Verb, number, got)
				}
				if echo, _ := got.Entity.Lookup("Echo"); op.Verb == entity.Get && echo.Text() != fmt.Sprint(number) {
					t.Errorf("get %d found the entity of %q; want its own", number, echo.Text())
				}
			}
		})
	}
	working.Wait()
	n := subject.Connections()
	if n.Opened+n.Reused < workers*each || n.FirstBytes.Count != workers*each || n.Reused == 0 {
		t.Errorf("Connections() = %+v; want %d attempts, many on used connections", n, workers*each)
	}
}
