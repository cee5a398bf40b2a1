/**
 * An interface, or an exported class, function or type, with its doc comment. Members are those of an interface: one that only an
 * exported function takes is not exported.
 */
export interface Declaration {
  readonly name: string
  readonly isExported: boolean
  readonly kind: 'interface' | 'class' | 'function' | 'type'
  readonly doc: string
  /** As it stands in the file, without the doc comment. */
  readonly text: string
  /** Without `export` and without its body, on one line; of overloads one line for each that may be called. */
  readonly head: string
  readonly members: readonly Member[]
}

export interface Member {
  readonly signature: string
  readonly doc: string
}

const DOC = String.raw`(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?`
/** The formatter fixes where each of them ends. */
const FORMS: readonly string[] = [
  String.raw`^(?:export )?(interface) (\w+)[\s\S]*?^\}`,
  String.raw`^export (?:declare )?(class) (\w+)[\s\S]*?^\}`,
  // Of overloads the last has the body, and the first the doc comment.
  String.raw`^(?:export function .*[^{\n]\n(?=export function ))*export (?:async )?(function) (\w+)(?:.*\{$|[\s\S]*?^[)>].*\{$)`,
  String.raw`^export (type) (\w+)[\s\S]*?\n(?=\n|export |\/\*\*|const |$)`,
]

/**
 * Reads the declarations of a source file as the formatter writes them: the compiler offers no programming interface to
 * ask.
 */
export function readDeclarations(source: string): Declaration[] {
  const found = FORMS.flatMap((form) => [...source.matchAll(new RegExp(DOC + form, 'gm'))])
  return found.map(([all, doc = '', kind = '', name = '']) => {
    const text = all.slice(all.search(/^(?:export |interface )/m))
    return {
      name,
      isExported: text.startsWith('export '),
      kind: kind as Declaration['kind'],
      doc: plainDoc(doc),
      text: text.trimEnd(),
      head: headOf(text, kind),
      members: kind === 'interface' ? membersOf(text) : [],
    }
  })
}

/** The text of a doc comment without its frame, and with links to names as code. */
export function plainDoc(doc: string): string {
  const lines = doc.split('\n').map((line) => line.replace(/^\s*\* ?/, ''))
  return lines
    .join('\n')
    .trim()
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
}

function headOf(text: string, kind: string): string {
  const declared = oneLine(text.replace(/^(?:export )?(?:declare |async )?/, ''))
  if (kind !== 'function') return declared.replace(/ \{.*$/, '')
  const signatures = declared.replace(/ \{$/, '').split(/ export (?:async )?(?=function )/)
  return signatures.length === 1 ? declared.replace(/ \{$/, '') : signatures.slice(0, -1).join('\n')
}

/** Members begin at an indentation of two, and go on while lines are indented more or close what they opened. */
function membersOf(text: string): Member[] {
  const members: { signature: string[]; doc: string }[] = []
  let doc: string[] = []
  for (const line of bodyOf(text)) {
    if (/^ {2}\/\*\*/.test(line) || (doc.length > 0 && !doc.at(-1)?.includes('*/'))) doc.push(line)
    else if (/^ {2}[^\s})\]|]/.test(line)) {
      members.push({
        signature: [line],
        doc: plainDoc(doc.join('\n').replaceAll(/\/\*\*|\*\//g, '')),
      })
      doc = []
    } else members.at(-1)?.signature.push(line)
  }
  return members.map(({ signature, doc: about }) => ({
    signature: oneLine(separated(withoutInnerDocs(signature.join('\n')))).replace(/^readonly /, ''),
    doc: about,
  }))
}

/** The lines between the first one that ends with a brace and the last. */
function bodyOf(text: string): string[] {
  const lines = text.split('\n')
  return lines.slice(lines.findIndex((line) => line.endsWith('{')) + 1, -1)
}

function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([([<]) /g, '$1')
    .replaceAll(/,? ([)\]>])/g, '$1')
    .replaceAll(', | ', ', ')
    .trim()
}

function withoutInnerDocs(text: string): string {
  return text.replaceAll(/\/\*\* [^]*?\*\/\s*/g, '')
}

/** In one line members of a type need what a line break is between them. */
function separated(text: string): string {
  return text.replaceAll(/(?<=[^\s{(;,])(?=\n\s+readonly )/g, ';')
}
