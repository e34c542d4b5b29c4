package accesslog

import (
	"fmt"
	"strings"
)

// field is a value of a resource log, and a column of StorageTableLogs: the names of the one
// are those of the other but for the case of their letters, and what a resource log has in
// properties is a column of its own.
type field uint8

const (
	fieldTime field = iota
	fieldResource
	fieldType
	fieldCategory
	fieldOperation
	fieldVersion
	fieldSchema
	fieldStatusCode
	fieldStatusText
	fieldDuration
	fieldAddress
	fieldCorrelation
	fieldLocation
	fieldURI
	fieldProtocol
	fieldAuthentication
	fieldAccount
	fieldUserAgent
	fieldReferrer
	fieldClient
	fieldETag
	fieldService
	fieldIndex
	fieldObjectKey
	fieldRequestMD5
	fieldResponseMD5
	fieldModified
	fieldConditions
	fieldMetric
	fieldServerLatency
	fieldRequestHeader
	fieldRequestBody
	fieldResponseHeader
	fieldResponseBody
	fieldContentLength
	fieldTLS
	fieldCount
)

// fieldDetail is the first of those that a resource log has in its properties.
const fieldDetail = fieldAuthentication

// fieldNames are the names of fields in lower case.
var fieldNames = map[string]field{
	"time": fieldTime, "timegenerated": fieldTime, "resourceid": fieldResource, "_resourceid": fieldResource, "type": fieldType,
	"category": fieldCategory, "operationname": fieldOperation, "operationversion": fieldVersion, "schemaversion": fieldSchema,
	"statuscode": fieldStatusCode, "statustext": fieldStatusText, "durationms": fieldDuration, "calleripaddress": fieldAddress,
	"correlationid": fieldCorrelation, "location": fieldLocation, "uri": fieldURI, "protocol": fieldProtocol,
	"authenticationtype": fieldAuthentication, "accountname": fieldAccount, "useragentheader": fieldUserAgent,
	"referrerheader": fieldReferrer, "clientrequestid": fieldClient, "etag": fieldETag, "servicetype": fieldService,
	"operationcount": fieldIndex, "objectkey": fieldObjectKey, "requestmd5": fieldRequestMD5, "responsemd5": fieldResponseMD5,
	"lastmodifiedtime": fieldModified, "conditionsused": fieldConditions, "metricresponsetype": fieldMetric,
	"serverlatencyms": fieldServerLatency, "requestheadersize": fieldRequestHeader, "requestbodysize": fieldRequestBody,
	"responseheadersize": fieldResponseHeader, "responsebodysize": fieldResponseBody, "contentlengthheader": fieldContentLength,
	"tlsversion": fieldTLS,
}

// fieldOf returns the field of a name; false for one that nobody asks for.
func fieldOf(name []byte) (field, bool) {
	var room [32]byte
	if len(name) > len(room) {
		return 0, false
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		room[i] = c
	}
	of, known := fieldNames[string(room[:len(name)])]
	return of, known
}

// record holds the fields of one request as text; what it does not have is empty.
type record [fieldCount]string

// entry makes an entry of what a record says.
func (r *record) entry(e *Entry) error {
	if service := r[fieldService]; service != "" && service != tableService {
		return fmt.Errorf("the line is of the service %.20q; expected %s: StorageRead, StorageWrite and StorageDelete of …/tableServices/default", service, tableService)
	}
	resource := r[fieldResource]
	if len(resource) >= len(tablesResource) && strings.EqualFold(resource[len(resource)-len(tablesResource):], tablesResource) {
		resource = ""
	}
	if before, _, other := strings.Cut(strings.ToLower(resource), "services/default"); other && !strings.HasSuffix(before, "/table") {
		return fmt.Errorf("the line is of %.80q; expected a resource …/tableServices/default", before[strings.LastIndexByte(before, '/')+1:]+"Services/default")
	}
	if of := r[fieldType]; of != "" && of != "StorageTableLogs" {
		return fmt.Errorf("the row is of the table %.40q; expected StorageTableLogs", of)
	}
	at, err := instantOf(r[fieldTime])
	if err != nil {
		return err
	}
	*e = Entry{At: at, Operation: r[fieldOperation], Status: r[fieldStatusText], Account: r[fieldAccount], Authentication: r[fieldAuthentication],
		Service: tableService, URL: r[fieldURI], ObjectKey: r[fieldObjectKey], RequestID: r[fieldCorrelation],
		Address: r[fieldAddress], Version: r[fieldVersion], RequestMD5: r[fieldRequestMD5], ServerMD5: r[fieldResponseMD5], ETag: r[fieldETag],
		LastModified: r[fieldModified], Conditions: r[fieldConditions], UserAgent: r[fieldUserAgent], Referrer: r[fieldReferrer], ClientID: r[fieldClient],
		Category: r[fieldCategory], ResourceID: r[fieldResource], Location: r[fieldLocation], Protocol: r[fieldProtocol],
		TLS: r[fieldTLS], Schema: r[fieldSchema], Metric: r[fieldMetric], About: About{Entities: Unknown}}
	var n numbers
	e.HTTP = n.status(r[fieldStatusCode])
	e.EndToEnd, e.Server = n.millis("durationMs", r[fieldDuration]), n.millis("serverLatencyMs", r[fieldServerLatency])
	e.Index = n.count("operationCount", r[fieldIndex])
	e.RequestHeader, e.RequestPacket = n.count("requestHeaderSize", r[fieldRequestHeader]), n.count("requestBodySize", r[fieldRequestBody])
	e.ResponseHeader, e.ResponsePacket = n.count("responseHeaderSize", r[fieldResponseHeader]), n.count("responseBodySize", r[fieldResponseBody])
	e.ContentLength = n.count("contentLengthHeader", r[fieldContentLength])
	e.locate()
	return n.err
}

// tablesResource is how the resource of a table service ends.
const tablesResource = "/tableServices/default"
