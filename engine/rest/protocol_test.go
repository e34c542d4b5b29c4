package rest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// What an insert answers with is its sender's preference, among others that are
// none of this service's.
func TestPreferences(t *testing.T) {
	for _, row := range []struct {
		name    string
		headers []string
		status  int
		applied string
	}{
		{"none", nil, 201, "return-content"},
		{"nothing", []string{"Prefer: return-no-content"}, 204, "return-no-content"},
		{"nothing, in another case", []string{"Prefer: Return-No-Content"}, 204, "return-no-content"},
		{"something", []string{"Prefer: return-content"}, 201, "return-content"},
		{"nothing, among others", []string{"Prefer: respond-async, return-no-content , wait=5"}, 204, "return-no-content"},
		{"nothing, with a parameter", []string{"Prefer: return-no-content; x=y"}, 204, "return-no-content"},
		{"nothing, in another header", []string{"Prefer: wait=5", "+: Prefer=return-no-content"}, 204, "return-no-content"},
		{"the first of two", []string{"Prefer: return-content, return-no-content"}, 201, "return-content"},
		{"what only begins like one", []string{"Prefer: return-no-content-please"}, 201, "return-content"},
	} {
		s := withTable(t)
		for target, body := range map[string]string{races: valid, "/contoso/Tables": `{"TableName":"Boats"}`} {
			w := s.Want(t, row.status, "POST", target, body, row.headers...)
			assert.Equalf(t, row.applied, w.Header().Get("Preference-Applied"), "%s: POST %s", row.name, target)
			assert.Equalf(t, row.status == 204, w.Body.Len() == 0, "%s: POST %s = %q", row.name, target, w.Body)
		}
	}
}

// The version of a reply is that of the request, by whatever way it was said.
func TestVersionsOfReplies(t *testing.T) {
	s := withTable(t)
	for _, row := range []struct {
		name, target string
		headers      []string
		want         string
	}{
		{"said in a header", races, []string{"x-ms-version: 2015-12-11"}, "2015-12-11"},
		{"not said", races, nil, "2019-02-02"},
		{"said by a signature", signed(races+"?", strings.Replace(tableSAS, "2019-02-02", "2018-03-28", 1)+"r"), []string{"Authorization:"}, "2018-03-28"},
		{"said by both", signed(races+"?", strings.Replace(tableSAS, "2019-02-02", "2018-03-28", 1)+"r"),
			[]string{"Authorization:", "x-ms-version: 2017-04-17"}, "2017-04-17"},
	} {
		assert.Equalf(t, row.want, s.Want(t, 200, "GET", row.target, "", row.headers...).Header().Get("x-ms-version"),
			"%s: x-ms-version", row.name)
	}
}

// A HEAD is for access policies alone; elsewhere it is refused, with a code and
// the length that the error would have.
func TestHeads(t *testing.T) {
	s := withTable(t)
	for _, target := range []string{runner, races, "/contoso/Tables", "/contoso/$batch", "/contoso/", "/contoso/?restype=service&comp=stats"} {
		w := s.Do("HEAD", target, "")
		assert.Truef(t, w.Code == http.StatusMethodNotAllowed && w.Header().Get("x-ms-error-code") == "MethodNotAllowed" && w.Body.Len() == 0 && w.Header().Get("Content-Length") != "0",
			"HEAD %s = %d %v %s; want 405 MethodNotAllowed, a length and no body", target, w.Code, w.Header(), w.Body)
	}
	assert.Equal(t, "GET, POST", s.Do("HEAD", races, "").Header().Get("Allow"), "Allow")
}

// The options that any request may have alter nothing of what it does.
func TestOptionsThatMeanLittle(t *testing.T) {
	s := withTable(t)
	s.insert(t, "full", "1234", 7)
	want := s.Want(t, 200, "GET", runner, "").Body.String()
	for _, query := range []string{"timeout=0", "timeout=30", "timeout=9999", "$format=application/json;odata=nometadata", "api-version=2019-02-02",
		"x=y", "$select=*", "$select=", "%24select=%2A", "&", "sv=1"} {
		assert.Equalf(t, want, s.Want(t, 200, "GET", runner+"?"+query, "").Body.String(), "GET with %s", query)
	}
	// An option for the format goes before the header.
	for format, want := range map[string]string{"application/json;odata=fullmetadata": "odata.editLink", "application/json": "odata.etag", "json": "odata.etag"} {
		w := s.Want(t, 200, "GET", runner+"?$format="+format, "", "Accept: application/json;odata=nometadata")
		assert.Containsf(t, w.Body.String(), want, "GET with $format=%s", format)
	}
	for _, query := range []string{"$select=TableName", "$select=*", "$select=TableName,Other"} {
		assert.Equalf(t, `{"value":[{"TableName":"Races"}]}`, s.Want(t, 200, "GET", "/contoso/Tables?"+query, "").Body.String(),
			"GET /contoso/Tables?%s", query)
	}
}

// Whatever can be read can be read from the secondary, under its own name.
func TestTheSecondaryIsThereToBeRead(t *testing.T) {
	s := withTable(t)
	s.insert(t, "full", "1234", 7)
	lone := "--batch_1\r\nContent-Type: application/http\r\n\r\nGET http://127.0.0.1:10002" + runner + " HTTP/1.1\r\nAccept: application/json\r\n\r\n--batch_1--\r\n"
	for _, row := range []struct{ method, target, body string }{
		{"GET", runner, ""}, {"GET", races, ""}, {"GET", "/contoso/Tables", ""}, {"GET", "/contoso/Tables('Races')", ""},
		{"GET", races + "?comp=acl", ""}, {"HEAD", races + "?comp=acl", ""}, {"GET", properties, ""},
		{"POST", "/contoso/$batch", lone},
	} {
		target := strings.Replace(row.target, "/contoso", "/contoso-secondary", 1)
		status := map[bool]int{false: 200, true: 202}[row.method == "POST"]
		for _, signature := range []string{contoso.Lite(date, target), contoso.Lite(date, row.target)} {
			// Older clients sign as if it were the primary.
			s.Want(t, status, row.method, target, row.body, "Authorization: "+signature, batchType)
		}
		host := strings.TrimPrefix(row.target, "/contoso")
		s.Want(t, status, row.method, host, row.body, "Host: contoso-secondary.table.core.windows.net", "Authorization: "+contoso.Lite(date, host), batchType)
	}
}

// An error has the level that was asked for, as a success would have.
func TestErrorsHaveTheLevelAskedFor(t *testing.T) {
	s := withTable(t)
	s.Clock.Set(time.Hour)
	w := s.Want(t, 403, "GET", runner, "", "Accept: application/json;odata=fullmetadata")
	assert.Equal(t, "AuthenticationFailed", resttest.CodeOf(t, w), "an hour late")
	assert.Equal(t, "application/json;odata=fullmetadata;streaming=true;charset=utf-8", w.Header().Get("Content-Type"))
}

// wall is a calendar that somebody turns while the clock beside it stands still.
type wall struct{ time.Time }

func (w *wall) Date(i clock.Instant) time.Time { return w.Add(i.Offset()) }

// A machine sleeps for 20 minutes: its monotonic clock stands still, and nobody else's.
func TestDatesAfterTheMachineSlept(t *testing.T) {
	w := &wall{time.Time(resttest.Epoch)}
	s := withTable(t, resttest.Options{Rest: rest.Options{Calendar: w}})
	signedAt := func(date string) []string {
		return []string{"X-Ms-Date: " + date, "Authorization: " + contoso.Lite(date, races)}
	}
	before, after := date, w.Time.Add(20*time.Minute).Format(http.TimeFormat)
	soon := "tn=Races&sv=2019-02-02&sp=r&se=" + w.Date(0).Add(10*time.Minute).Format(time.RFC3339)
	late := "tn=Races&sv=2019-02-02&sp=r&st=" + w.Date(0).Add(19*time.Minute).Format(time.RFC3339) + "&se=2030-01-01T00:00:00Z"
	for _, step := range []struct {
		slept time.Duration
		// signed before the sleep, after it, by a signature that expires meanwhile and by one that begins
		want [4]int
	}{{0, [4]int{200, 403, 200, 403}}, {20 * time.Minute, [4]int{403, 200, 403, 200}}} {
		w.Time = w.Time.Add(step.slept)
		reply := s.Do("GET", races, "", signedAt(after)...)
		assert.Equal(t, w.Date(s.Clock.Now()).UTC().Format(http.TimeFormat), reply.Header().Get("Date"), "Date")
		expiring, _, _ := s.bearer("GET", races, soon, "")
		beginning, _, _ := s.bearer("GET", races, late, "")
		got := [4]int{s.Do("GET", races, "", signedAt(before)...).Code, reply.Code, expiring, beginning}
		assert.Equalf(t, step.want, got, "after %v of sleep", step.slept)
	}
}

// A service tells in its name what it holds load to, and where partitions may exceed that.
func TestServerNameOfEachProfile(t *testing.T) {
	for _, row := range []struct {
		sentence, profile string
		settings          []string
		want              string
	}{
		{"limits held hard", model.Documented, nil, "loadgen/1 (partition_target=2000; account_target=20000)"},
		{"a profile that is told to", model.Documented, []string{"headroom=1500"}, "loadgen/1 (headroom=1500; partition_target=2000; account_target=20000)"},
		{"no limit, and none to exceed", model.Headroom, []string{"partition_target=0"}, "loadgen/1 (partition_target=none; account_target=20000)"},
		{"no limits", model.Off, nil, "loadgen/1 (partition_target=none; account_target=none)"},
	} {
		s := resttest.New(t, resttest.Options{Profile: row.profile, Settings: row.settings})
		assert.Equalf(t, row.want, s.Do("GET", "/contoso/Tables", "").Header().Get("Server"), "%s: Server", row.sentence)
	}
}

// A request that is held while its range moves is answered 500 once the time is over that it
// lets the service take, or the service's own, and served where that is longer.
func TestTimeoutOfARequest(t *testing.T) {
	for _, row := range []struct {
		option string
		want   int
		took   time.Duration
	}{
		{"?timeout=2", 500, 2 * time.Second},
		{"?timeout=7", 500, 7 * time.Second},
		{"?timeout=11", 201, 10 * time.Second},
		{"?timeout=90", 201, 10 * time.Second},
		{"?timeout=0", 201, 10 * time.Second},
		{"", 201, 10 * time.Second},
	} {
		m := must(model.New(model.Documented))(t)
		m.Stamp.OfflineLeast, m.Stamp.OfflineMost, m.Stamp.OfflineThrottled, m.Stamp.MapStale, m.TimeSpread = 10*time.Second, 10*time.Second, 0, 0, 0
		s := withTable(t, resttest.Options{Engine: engine.Options{Model: m, Cold: true}})
		s.Engine.Move(s.Clock.Now(), account, "Races", "p", 1)
		before := s.Clock.Now()
		w := s.Do("POST", "/contoso/Races"+row.option, `{"PartitionKey":"p","RowKey":"r"}`)
		assert.Equalf(t, row.want, w.Code, "%q: %s", row.option, w.Body)
		assert.Equalf(t, map[bool]string{true: "OperationTimedOut"}[row.want == 500], w.Header().Get("x-ms-error-code"), "%q", row.option)
		took := s.Clock.Now().Sub(before)
		assert.Truef(t, took >= row.took && took <= row.took+time.Second, "%q: took %v; want %v", row.option, took, row.took)
	}
}
