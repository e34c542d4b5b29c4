package rest_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/rest/resttest"
)

const properties = "/contoso/?restype=service&comp=properties"

func corsRule(origins, methods, age, exposed, allowed string) string {
	return "<CorsRule><AllowedOrigins>" + origins + "</AllowedOrigins><AllowedMethods>" + methods + "</AllowedMethods><MaxAgeInSeconds>" +
		age + "</MaxAgeInSeconds><ExposedHeaders>" + exposed + "</ExposedHeaders><AllowedHeaders>" + allowed + "</AllowedHeaders></CorsRule>"
}

func withRules(rules ...string) string {
	return "<StorageServiceProperties><Cors>" + strings.Join(rules, "") + "</Cors></StorageServiceProperties>"
}

func TestPropertiesAreKept(t *testing.T) {
	s := withTable(t)
	get := func() string {
		return s.Want(t, 200, "GET", properties, "", "Accept: application/xml").Body.String()
	}
	const off = "<Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>"
	const none = "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>"
	const quiet = "<Logging><Version>1.0</Version><Delete>false</Delete><Read>false</Read><Write>false</Write>" + none + "</Logging>"
	document := func(logging, hours, minutes, rules string) string {
		return xmlStart + "<StorageServiceProperties>" + logging + "<HourMetrics>" + hours + "</HourMetrics><MinuteMetrics>" + minutes +
			"</MinuteMetrics><Cors>" + rules + "</Cors></StorageServiceProperties>"
	}
	if got, want := get(), document(quiet, off, off, ""); got != want {
		t.Errorf("GET before any PUT = %s; want %s", got, want)
	}
	// What is left out keeps its value; an empty list of rules clears them.
	const on = "<Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>365</Days></RetentionPolicy>"
	loud := strings.Replace(quiet, "<Read>false", "<Read>true", 1)
	rule := corsRule("*", "GET", "60", "x-ms-*", "")
	for _, step := range []struct{ name, put, want string }{
		{"hours", "<HourMetrics>" + on + "</HourMetrics>", document(quiet, on, off, "")},
		{"minutes", "<MinuteMetrics>" + on + "</MinuteMetrics>", document(quiet, on, on, "")},
		{"rules", "<Cors>" + rule + "</Cors>", document(quiet, on, on, rule)},
		{"logging", loud, document(loud, on, on, rule)},
		{"nothing", "", document(loud, on, on, rule)},
		{"no rules, no hours", "<HourMetrics>" + off + "</HourMetrics><Cors/>", document(loud, off, on, "")},
	} {
		w := s.Want(t, 202, "PUT", properties, "<StorageServiceProperties>"+step.put+"</StorageServiceProperties>")
		if w.Body.Len() != 0 || w.Header().Get("Content-Length") != "0" {
			t.Errorf("%s: PUT = %s, length %s; want nothing", step.name, w.Body, w.Header().Get("Content-Length"))
		}
		if got := get(); got != step.want {
			t.Errorf("%s: GET = %s; want %s", step.name, got, step.want)
		}
	}
	before := get()
	s.Want(t, 400, "PUT", properties, "<StorageServiceProperties>"+quiet+"<Cors>"+strings.Repeat(rule, 6)+"</Cors></StorageServiceProperties>")
	if got := get(); got != before {
		t.Errorf("GET after a PUT that was refused = %s; want %s", got, before)
	}
}

func TestStatisticsAreOfTheSecondary(t *testing.T) {
	s := withTable(t)
	s.Clock.Set(time.Second)
	w := s.Want(t, 200, "GET", "/contoso-secondary/?restype=service&comp=stats", "")
	if want := "<Status>live</Status><LastSyncTime>Fri, 20 Nov 2026 11:48:20 GMT</LastSyncTime>"; !strings.Contains(w.Body.String(), want) {
		t.Errorf("GET = %s; want %s in it", w.Body, want)
	}
}

// corsHeaders shows those headers of a reply that browsers look at.
func corsHeaders(header http.Header) string {
	text := ""
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
		"Access-Control-Max-Age", "Access-Control-Expose-Headers", "Access-Control-Allow-Credentials", "Vary"} {
		if value := header.Get(name); value != "" {
			text += fmt.Sprintf("%s=%s;", name[strings.LastIndexByte(name, '-')+1:], value)
		}
	}
	return text
}

func TestPreflights(t *testing.T) {
	s := withTable(t)
	s.Want(t, 202, "PUT", properties, withRules(
		corsRule("http://a", "GET,PUT", "60", "x-ms-*", "x-ms-*,accept"), corsRule("*", "MERGE", "0", "", "*")))
	for _, row := range []struct{ name, target, origin, method, headers, want string }{
		{"the first rule", races, "http://a", "PUT", "X-Ms-Date,Accept",
			"Origin=http://a;Methods=PUT;Headers=X-Ms-Date,Accept;Age=60;Credentials=true;"},
		{"without headers, of a table that is missing", "/contoso/Rowers", "http://a", "GET", "", "Origin=http://a;Methods=GET;Age=60;Credentials=true;"},
		{"the account itself, host style", "/", "http://a", "GET", "", "Origin=http://a;Methods=GET;Age=60;Credentials=true;"},
		{"the second rule", races, "http://b", "MERGE", "x-anything", "Origin=http://b;Methods=MERGE;Headers=x-anything;Age=0;Credentials=true;"},
		{"a header that is not allowed", races, "http://a", "PUT", "if-match", ""},
		{"another origin", races, "http://b", "PUT", "", ""},
		{"another method", races, "http://a", "DELETE", "", ""},
	} {
		headers := []string{"Authorization:", "Origin: " + row.origin, "Access-Control-Request-Method: " + row.method,
			"Access-Control-Request-Headers: " + row.headers}
		if row.target == "/" {
			headers = append(headers, "Host: contoso.table.core.windows.net")
		}
		w := s.Do("OPTIONS", row.target, "", headers...)
		status := 403
		if row.want != "" {
			status = 200
		} else if got := resttest.CodeOf(t, w); got != "CorsPreflightFailure" {
			t.Errorf("%s: %s; want CorsPreflightFailure", row.name, got)
		}
		if got := corsHeaders(w.Header()); w.Code != status || got != row.want || status == 200 && w.Body.Len() > 0 {
			t.Errorf("%s: OPTIONS = %d %s %s; want %d %s", row.name, w.Code, got, w.Body, status, row.want)
		}
	}
}

// The request of a page is carried out whatever the rules say: they decide
// whether the page may see the reply, errors included.
func TestPagesOfOtherOrigins(t *testing.T) {
	s := withTable(t)
	if got := corsHeaders(s.Want(t, 200, "GET", races, "", "Origin: http://a").Header()); got != "" {
		t.Errorf("without rules: %s; want nothing", got)
	}
	s.Want(t, 202, "PUT", properties, withRules(corsRule("http://a,http://b", "GET,DELETE", "60", "x-ms-*,etag", ""), corsRule("*", "GET", "0", "", "")))
	for _, row := range []struct {
		name, method, target, origin string
		status                       int
		want                         string
	}{
		{"the first rule", "GET", races, "http://b", 200, "Origin=http://b;Headers=x-ms-*,etag;Credentials=true;Vary=Origin;"},
		{"any origin", "GET", races, "http://c", 200, "Origin=*;"},
		{"an error", "GET", runner, "http://a", 404, "Origin=http://a;Headers=x-ms-*,etag;Credentials=true;Vary=Origin;"},
		{"no rule for the method", "PUT", runner, "http://a", 204, "Vary=Origin;"},
		{"no rule for the origin", "DELETE", runner, "http://c", 400, "Vary=Origin;"},
		{"no page, which a rule for any origin is for", "GET", races, "", 200, "Origin=*;"},
		{"no page, writing", "PUT", runner, "", 204, ""},
		{"another account", "GET", "/fabrikam/Races", "http://a", 403, ""},
	} {
		body := ""
		if row.method == "PUT" {
			body = "{}"
		}
		w := s.Do(row.method, row.target, body, "Origin: "+row.origin)
		if got := corsHeaders(w.Header()); w.Code != row.status || got != row.want {
			t.Errorf("%s: %s %s = %d %s %s; want %d %s", row.name, row.method, row.target, w.Code, w.Body, got, row.status, row.want)
		}
		if row.method == "PUT" {
			s.Want(t, 204, "DELETE", runner, "", "If-Match: *")
		}
	}
}

// Drawn rules and requests, held to the documents' table: who gets the origin, who what
// may be read, and whom a kept copy would mislead.
func TestRepliesFollowTheTableOfOrigins(t *testing.T) {
	s := withTable(t)
	chance := rand.New(rand.NewPCG(24, 3))
	origins, methods := []string{"*", "http://a", "http://b"}, []string{"GET", "PUT", "DELETE"}
	some := func(of []string) []string {
		for {
			if drawn := slices.DeleteFunc(slices.Clone(of), func(string) bool { return chance.IntN(2) == 0 }); len(drawn) > 0 {
				return drawn
			}
		}
	}
	for round := range 300 {
		var rules []string
		var matchesAny, matchesOrigin string // what the first rule exposes that matches, "" for none
		origin, method := append(origins, "")[chance.IntN(4)], methods[chance.IntN(2)]
		if origin == "*" {
			origin = "http://c"
		}
		for i := range chance.IntN(4) {
			of, by, exposed := some(origins), some(methods), fmt.Sprintf("x-%d", i)
			rules = append(rules, corsRule(strings.Join(of, ","), strings.Join(by, ","), "1", exposed, ""))
			if !slices.Contains(by, method) || matchesAny+matchesOrigin != "" {
				continue
			}
			if slices.Contains(of, "*") {
				matchesAny = exposed
			} else if slices.Contains(of, origin) {
				matchesOrigin = exposed
			}
		}
		want, cached := "", method == "GET"
		switch {
		case len(rules) == 0, origin == "" && !cached:
		case matchesAny != "":
			want = "Origin=*;Headers=" + matchesAny + ";"
		case matchesOrigin != "":
			want = "Origin=" + origin + ";Headers=" + matchesOrigin + ";Credentials=true;Vary=Origin;"
		case cached || origin != "":
			want = "Vary=Origin;"
		}
		s.Want(t, 202, "PUT", properties, withRules(rules...))
		w := s.Do(method, map[string]string{"GET": races, "PUT": runner}[method], map[string]string{"PUT": "{}"}[method], "Origin: "+origin)
		if got := corsHeaders(w.Header()); w.Code >= 300 || got != want {
			t.Fatalf("round %d: %s from %q under %v = %d %s; want %s", round, method, origin, rules, w.Code, got, want)
		}
	}
}
