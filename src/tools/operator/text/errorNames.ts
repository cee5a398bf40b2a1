/**
 * What tells causes apart in the text of an error, though it looks like a value: a status, a code, the name of a property, a column or
 * a module. Every quantifier is bounded, because error texts may be written to be slow.
 */
interface Named {
  /** The name alone; what it stands beside is looked at and not taken. */
  readonly pattern: RegExp
  /** Whether such a text is a name. Default: always. */
  readonly isName?: (text: string) => boolean
}

/** Behind these a quoted word names a part of the program or of a schema, not a value. */
const PARTS =
  'reading|setting|propert(?:y|ies)|column|relation|table|constraint|index|module|package|field|attribute|parameter|param|' +
  'argument|option|header|export|import|method|function|class|type|collection|for key|enum|operator|variable|operation|' +
  'permission|action|schema|database|view|scope'

/** The value of one of these is what an engineer looks up. */
const CODES =
  'code|type|__type|status|statusCode|status_code|httpStatus|http_status|errorCode|error_code|errno|name|' +
  'sqlState|sqlstate|field|param|path|property|expected|received|keyword'

const PHRASES =
  'Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Request Timeout|Conflict|Gone|' +
  'Payload Too Large|Content Too Large|Unsupported Media Type|Unprocessable|Locked|Failed Dependency|Too Many Requests|' +
  'Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Time-?out'

const NAMES: readonly Named[] = [
  {
    pattern: new RegExp(
      `(?<=\\b(?:${PARTS})s?\\s{0,3}[:=]?\\s{0,3})(["'\`])[^"'\`]{1,100}\\1`,
      'gi',
    ),
    isName: isWord,
  },
  {
    pattern: new RegExp(
      `(?<="(?:${CODES})"\\s{0,3}:\\s{0,3}(?:\\[\\s{0,40})?)"[^"\\s]{1,64}"`,
      'gi',
    ),
    isName: isWord,
  },
  { pattern: new RegExp(`(?<="(?:${CODES})"\\s{0,3}:\\s{0,3})-?\\d{1,5}(?![\\w.])`, 'gi') },
  // `HTTP 503`, `HTTP/1.1 503`, `status code 503`, `exit code 137`, `code: 42P01`, `SQLSTATE[23000]`, `errno=1062`.
  {
    pattern:
      /(?<=\b(?:http(?:\/\d(?:\.\d)?)?|status|(?:status|error|exit|response|return|result|sql|with)[ _-]?code|statusCode|sqlstate|errno)[\s:=([#"']{1,3})[A-Z]{0,4}-?\d{1,5}[A-Z]?\d{0,3}\b/gi,
  },
  { pattern: /(?<=\bcode\s?[:=]\s?["']?)[A-Z]{0,4}-?\d{1,5}[A-Z]?\d{0,3}\b/gi },
  { pattern: new RegExp(`\\b[1-5]\\d\\d(?= (?:${PHRASES})\\b)`, 'gi') },
  // Behind an address: `GET https://pay.example/v1/charges 503`.
  {
    pattern:
      /(?<=\b(?:https?:\/\/[^\s"'<>]{1,300}|(?:GET|PUT|POST|PATCH|DELETE|HEAD) \/[^\s"'<>]{0,300}) )[1-5]\d\d\b/g,
  },
  { pattern: /(?<=\b(?:responded|answered|returned|replied|failed|got)(?: with)?:? )[45]\d\d\b/gi },
  { pattern: /\b(?:ORA-\d{5}|E\d{5}|SQL\d{4}N)\b/g },
  // A key of JSON, once its value has been looked at.
  { pattern: /(?<=[{,]\s{0,40})"[A-Za-z_$][\w$.-]{0,63}"(?=\s{0,3}:)/g },
]

/** The text of one of these is read as if it stood alone: what differs in it is masked, and the rest tells causes apart. */
const SAID =
  /(?<="(?:message|msg|error|error_description|errorMessage|detail|description|reason|title)"\s{0,3}:\s{0,3})"([^"]{0,500})"/gi

/** `users.email` or `./rates`, and not `17`, `a b` or an id. */
function isWord(text: string): boolean {
  return (
    /^["'`]?[@\w$./:-]+["'`]?$/.test(text) &&
    /[A-Za-z]/.test(text) &&
    !/\d{4}|\d[A-Za-z]\w*\d/.test(text)
  )
}

/** Each name is one of these while the rest is masked. */
const FIRST = 0xe0_00
const MOST = 0x7_00
const ANY = /[\uE000-\uF8FF]/g
/** Is written in place of the quotes of a text that is read as if it had none. */
const QUOTE = '\uF8FF'

/**
 * Masks a text without its names.
 * @param mask replaces what differs between errors of one cause
 */
export function keepNames(error: string, mask: (text: string) => string): string {
  const names: string[] = []
  const said = error.replaceAll(ANY, '?').replace(SAID, (_, inner: string) => QUOTE + inner + QUOTE)
  const text = NAMES.reduce(
    (all, { pattern, isName = () => true }) =>
      all.replace(pattern, (name) => {
        if (names.length >= MOST || !isName(name)) return name
        names.push(name)
        return String.fromCharCode(FIRST + names.length - 1)
      }),
    said,
  )
  return mask(text).replaceAll(ANY, (found) =>
    found === QUOTE ? '"' : (names[found.charCodeAt(0) - FIRST] ?? found),
  )
}
