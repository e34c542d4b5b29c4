package wire_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// contosoKey is the text that the key of the account contoso is made of.
const contosoKey = "the key of the account contoso"

func contosoSecret(t testing.TB) *wire.Secret {
	t.Helper()
	secret, err := wire.NewSecret(base64.StdEncoding.EncodeToString([]byte(contosoKey)))
	require.NoError(t, err)
	return secret
}

// sharedAccess takes the options of a query string, as a server does.
func sharedAccess(t testing.TB, query string) *wire.SharedAccess {
	t.Helper()
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	a := &wire.SharedAccess{}
	for name, all := range values {
		for _, value := range all {
			a.Set(name, value)
		}
	}
	return a
}

// signAccess is the signing side, by the documents: the lines of the text, and
// the signature over them.
func signAccess(account string, v url.Values) (text, signature string) {
	if v.Get("tn") != "" {
		text = strings.Join([]string{v.Get("sp"), v.Get("st"), v.Get("se"), "/table/" + account + "/" + strings.ToLower(v.Get("tn")),
			v.Get("si"), v.Get("sip"), v.Get("spr"), v.Get("sv"), v.Get("spk"), v.Get("srk"), v.Get("epk"), v.Get("erk")}, "\n")
	} else {
		lines := []string{account, v.Get("sp"), v.Get("ss"), v.Get("srt"), v.Get("st"), v.Get("se"), v.Get("sip"), v.Get("spr"), v.Get("sv")}
		if v.Get("sv") >= "2020-12-06" {
			lines = append(lines, v.Get("ses"))
		}
		text = strings.Join(lines, "\n") + "\n"
	}
	h := hmac.New(sha256.New, []byte(contosoKey))
	h.Write([]byte(text))
	return text, base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// The signatures were made by another program: openssl dgst -sha256 -hmac KEY.
func TestSharedAccessKnownSignatures(t *testing.T) {
	secret := contosoSecret(t)
	for _, row := range []struct{ name, query, signature string }{
		{"an account's, without what can be left out", "sp=raud&ss=t&srt=sco&se=2030-01-01T00:00:00Z&sv=2019-02-02",
			"bE1uJzyTOuVtSFwTDMNgR9T0SHH9E1WDKDTCpWRbhKM="},
		{"an account's with everything, of the later form", "sp=rwdlacu&ss=bqtf&srt=sco&st=2026-11-20&se=2030-01-01T00%3A00%3A00Z" +
			"&sip=168.1.5.60-168.1.5.70&spr=https&sv=2020-12-06&ses=scope1", "0gCm76trjExljyf84xxK8J3sRKFQcYwBTzqM/k16giw="},
		{"an account's of the later form, without a scope", "sp=r&ss=t&srt=o&se=2030-01-01T00:00:00Z&sv=2020-12-06",
			"aB/jBqMI2SHE8CdvQtF727PtM3kYvRK8bj7MMGBFI4U="},
		{"a table's, without what can be left out", "sp=r&se=2030-01-01T00:00:00Z&sv=2019-02-02&tn=T1",
			"vYFyQyWAQlFqSdpvvZsR8ytfOqUCUr9Ip/bitfDfP7I="},
		{"a table's with a range of keys", "sp=raud&st=2026-11-20T11:00:00Z&se=2030-01-01T00:00:00Z&tn=RACES&sip=10.0.0.1&spr=https,http" +
			"&sv=2019-02-02&spk=1&srk=1&epk=%C3%A4+b&erk=3", "nGXW79vQiqIFxAZ9b07zYO537YpR544jcl87nbFUmCY="},
		{"a table's with a stored policy", "si=readers&sv=2018-03-28&tn=Races", "hgFyuaj9ELeqRMKEHMP+jGu6FZ/XWW+Dwdknzm9PhHw="},
	} {
		a := sharedAccess(t, row.query)
		a.Signature = row.signature
		assert.Equalf(t, "", a.Fault(), "%s: Fault()", row.name)
		assert.Truef(t, secret.VerifyAccess("contoso", a),
			"%s: VerifyAccess = false over %q; want true", row.name, a.AppendStringToSign(nil, "contoso"))
		assert.Falsef(t, secret.VerifyAccess("fabrikam", a), "%s: VerifyAccess for another account = true; want false", row.name)
		assert.Falsef(t, developmentSecret(t).VerifyAccess("contoso", a),
			"%s: VerifyAccess by another key = true; want false", row.name)
	}
}

// Whatever the values, what the signing side signs is verified, and nothing else:
// each value counts, save the case of the table's name.
func TestSharedAccessRoundTrip(t *testing.T) {
	secret := contosoSecret(t)
	rng := rand.New(rand.NewPCG(4, 10))
	values := []string{"", "r", "raud", "2030-01-01", "a b", "ä", "O'Brien", "1+1=2", "%25", "\n", "readers"}
	for range 500 {
		names := []string{"sp", "st", "se", "sip", "spr", "ss", "srt", "ses"}
		v := url.Values{"sv": {[]string{"2015-04-05", "2019-02-02", "2020-12-06", "2025-01-01"}[rng.IntN(4)]}}
		if rng.IntN(2) == 0 {
			names = []string{"sp", "st", "se", "sip", "spr", "si", "spk", "srk", "epk", "erk"}
			v.Set("tn", "Races")
		}
		for _, name := range names {
			v.Set(name, values[rng.IntN(len(values))])
		}
		text, signature := signAccess("contoso", v)
		v.Set("sig", signature)
		a := sharedAccess(t, v.Encode())
		require.Equalf(t, "x"+text, string(a.AppendStringToSign([]byte("x"), "contoso")), "%v: AppendStringToSign", v)
		require.Truef(t, secret.VerifyAccess("contoso", a), "%v: VerifyAccess = false; want true", v)
		name := names[rng.IntN(len(names))]
		if name == "ses" && v.Get("sv") < "2020-12-06" {
			continue
		}
		v.Set(name, v.Get(name)+"x")
		require.Falsef(t, secret.VerifyAccess("contoso", sharedAccess(t, v.Encode())),
			"%v: VerifyAccess with another %s = true; want false", v, name)
	}
}

func TestSharedAccessTakesABlankForAPlusSign(t *testing.T) {
	v := url.Values{"sv": {"2019-02-02"}, "tn": {"T1"}, "se": {"2030-01-01"}}
	for i := 0; ; i++ {
		v.Set("sp", strings.Repeat("r", i))
		if _, signature := signAccess("contoso", v); strings.Contains(signature, "+") {
			v.Set("sig", strings.ReplaceAll(signature, "+", " "))
			break
		}
	}
	assert.Truef(t, contosoSecret(t).VerifyAccess("contoso", sharedAccess(t, v.Encode())),
		"VerifyAccess(%q) = false; want a blank to stand for a plus sign", v.Get("sig"))
}

func TestSharedAccessFaults(t *testing.T) {
	const account, table = "sv=2019-02-02&sp=r&ss=t&srt=o&se=2030-01-01", "sv=2019-02-02&sp=r&tn=T1&se=2030-01-01"
	for _, row := range []struct{ name, query, fault string }{
		{"an account's", account, ""},
		{"a table's", table, ""},
		{"a table's with no more than a policy", "sv=2019-02-02&tn=T1&si=x", ""},
		{"the oldest form", strings.Replace(table, "2019-02-02", "2015-04-05", 1), ""},
		{"no version", strings.Replace(table, "sv=2019-02-02", "", 1), "sv is"},
		{"a version that is none", strings.Replace(table, "2019-02-02", "latest", 1), "sv is"},
		{"a version before the form", strings.Replace(table, "2019-02-02", "2015-04-04", 1), "2015-04-05 or later"},
		{"neither kind", "sv=2019-02-02&sp=r&se=2030-01-01", "tn, or"},
		{"both kinds", table + "&ss=t&srt=o", "tn, or"},
		{"an account's without services", strings.Replace(account, "ss=t", "", 1), "requires ss"},
		{"an account's without resource types", strings.Replace(account, "srt=o", "", 1), "requires ss"},
		{"an account's without permissions", strings.Replace(account, "sp=r", "sp=", 1), "requires ss"},
		{"an account's without an end", strings.Replace(account, "se=", "si=", 1), "requires ss"},
		{"a table's without permissions", strings.Replace(table, "sp=r", "sp=", 1), "sp and se"},
		{"a table's without an end", strings.Replace(table, "se=", "st=", 1), "sp and se"},
		{"a first row without its partition", table + "&srk=1", "srk needs"},
		{"a last row without its partition", table + "&spk=1&erk=1", "erk needs"},
	} {
		fault := sharedAccess(t, row.query).Fault()
		assert.Truef(t, (fault == "") == (row.fault == "") && strings.Contains(fault, row.fault),
			"%s: Fault() of %s = %q; want %q in it", row.name, row.query, fault, row.fault)
	}
}

func TestSharedAccessOptionsComeOnce(t *testing.T) {
	var a wire.SharedAccess
	for _, name := range []string{"sv", "sp", "st", "se", "spr", "sip", "ss", "srt", "ses", "tn", "si", "spk", "srk", "epk", "erk", "sig"} {
		known, first := a.Set(name, "")
		again, second := a.Set(name, "x")
		assert.Truef(t, known && first && again && !second, "Set(%s) = %v, %v, and again %v, %v", name, known, first, again, second)
	}
	known, first := a.Set("sr", "")
	assert.Truef(t, !known && first, "Set(sr) = %v, %v; want false, true", known, first)
}

func TestAccessTimes(t *testing.T) {
	const none = "0001-01-01T00:00:00Z"
	parse := func(text string) (string, bool) {
		at, ok := wire.ParseAccessTime(text)
		return at.String(), ok
	}
	checkParsed(t, parse, []parsedRow[string]{
		{"a date", "2026-11-20", "2026-11-20T00:00:00Z", true},
		{"minutes", "2026-11-20T11:48Z", "2026-11-20T11:48:00Z", true},
		{"nothing", "", none, false},
		{"more than a date", "2026-11-20T", none, false},
		{"the beginning of the calendar, which stands for none", "0001-01-01", none, false},
		{"sixteen letters and a Z", "aaaaaaaaaaaaaaaaZ", none, false},
	})
}

func TestAddressRanges(t *testing.T) {
	for _, row := range []struct {
		name, text, address string
		formed, want        bool
	}{
		{"the one", "10.0.0.1", "10.0.0.1", true, true},
		{"the one, written as of the later version", "10.0.0.1", "::ffff:10.0.0.1", true, true},
		{"the first", "10.0.0.1-10.0.0.9", "10.0.0.1", true, true},
		{"the last", "10.0.0.1-10.0.0.9", "10.0.0.9", true, true},
		{"before", "10.0.0.1-10.0.0.9", "10.0.0.0", true, false},
		{"after, although not as text", "10.0.0.1-10.0.0.9", "10.0.0.10", true, false},
		{"the wrong way round", "10.0.0.9-10.0.0.1", "10.0.0.5", true, false},
		{"the later version", "fd00::1-fd00::f", "fd00::a", true, true},
		{"of both versions", "10.0.0.1-fd00::f", "11.0.0.0", true, false},
		{"no address", "here", "10.0.0.1", false, false},
		{"a network", "10.0.0.0/8", "10.0.0.1", false, false},
	} {
		r, formed := wire.ParseAddressRange(row.text)
		if got := formed && r.Contains(netip.MustParseAddr(row.address)); formed != row.formed || got != row.want {
			t.Errorf("%s: ParseAddressRange(%s) = %v, Contains(%s) = %v; want %v, %v",
				row.name, row.text, formed, row.address, got, row.formed, row.want)
		}
	}
	r, _ := wire.ParseAddressRange("10.0.0.1")
	assert.True(t, !r.Contains(netip.Addr{}), "Contains(no address) = true; want false")
}

func TestProtocols(t *testing.T) {
	for text, want := range map[string][2]bool{"": {true, true}, "https": {false, true}, "https,http": {true, true},
		"http,https": {true, true}, "http": {false, false}, "HTTPS": {false, false}, "ftp": {false, false}} {
		plain, ok := wire.ParseSASProtocol(text)
		assert.Truef(t, plain == want[0] && ok == want[1], "ParseSASProtocol(%q) = %v, %v; want %v", text, plain, ok, want)
	}
}

func TestKeysOfAnAccess(t *testing.T) {
	for _, row := range []struct {
		name, query    string
		from, to       entity.Key
		whole, endless bool
	}{
		{"none", "", entity.Key{}, entity.Key{}, true, true},
		{"from a partition", "spk=b", entity.Key{Partition: "b"}, entity.Key{}, true, true},
		{"to a partition's end", "epk=b", entity.Key{}, entity.Key{Partition: "b"}, true, false},
		{"from a row to a row", "spk=a&srk=1&epk=b&erk=2", entity.Key{Partition: "a", Row: "1"}, entity.Key{Partition: "b", Row: "2"}, false, false},
	} {
		from, to, whole, endless := sharedAccess(t, row.query).Keys()
		if from != row.from || to != row.to || whole != row.whole || endless != row.endless {
			t.Errorf("%s: Keys() = %v, %v, %v, %v; want %v, %v, %v, %v", row.name, from, to, whole, endless, row.from, row.to, row.whole, row.endless)
		}
	}
}

// FuzzSAS takes whatever options there are: nothing panics, what is well-formed
// can be signed, and then it is verified.
func FuzzSAS(f *testing.F) {
	f.Add("sp=raud&ss=t&srt=sco&se=2030-01-01T00:00:00Z&sv=2020-12-06&sip=10.0.0.1-10.0.0.9&spr=https&ses=x")
	f.Add("sp=r&st=2026-11-20&se=2030-01-01T00:00:00Z&sv=2019-02-02&tn=T1&spk=1&srk=1&epk=3&erk=3&sig=vYFyQyWAQlFqSdpvvZsR8ytfOqUCUr9Ip/bitfDfP7I=")
	f.Add("si=a&tn=b&sv=2015-04-05&sig=%")
	f.Fuzz(func(t *testing.T, query string) {
		var a wire.SharedAccess
		v := url.Values{}
		for pair := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(pair, "=")
			if known, _ := a.Set(name, value); known {
				v.Set(name, value)
			}
		}
		if r, ok := wire.ParseAddressRange(a.Addresses); ok && (!r.From.IsValid() || !r.To.IsValid()) {
			t.Errorf("ParseAddressRange(%q) = %v; want two addresses", a.Addresses, r)
		}
		if at, ok := wire.ParseAccessTime(a.Expiry); ok && at <= 0 {
			t.Errorf("ParseAccessTime(%q) = %d; want a time after the first", a.Expiry, at)
		}
		contosoSecret(t).VerifyAccess("contoso", &a)
		text, signature := signAccess("contoso", v)
		if got := string(a.AppendStringToSign(nil, "contoso")); got != text {
			t.Fatalf("AppendStringToSign of %s = %q; want %q", query, got, text)
		}
		if a.Signature = signature; !contosoSecret(t).VerifyAccess("contoso", &a) {
			t.Fatalf("VerifyAccess of %s = false; want true", query)
		}
	})
}
