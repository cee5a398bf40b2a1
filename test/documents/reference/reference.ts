import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS, SECTIONS } from '../../../src/tools/cli/commands.ts'
import { helpText, usageText } from '../../../src/tools/cli/help.ts'
import { ROOT } from '../readme/documents.ts'
import { type Declaration, type Member, readDeclarations } from './declarations.ts'
import { type Chapter, CHAPTERS } from './outline.ts'

/** A page of the reference. */
export interface Page {
  /** Name of its file, without an ending. */
  readonly name: string
  readonly title: string
  /** What it is about, in one line. */
  readonly about: string
  /** Markdown, which links to other pages by their files. */
  readonly text: string
}

const INTRO = `A name with \`?\` may be left out. A \`Duration\` is milliseconds, or a text such as \`'10s'\`, \`'5m'\`, \`'2h'\` or \`'1d'\`.`

/** The reference, made of the doc comments of the source. The first page leads to the others. */
export function reference(): readonly Page[] {
  const declared = declarations()
  const pages = [...CHAPTERS.map((chapter) => chapterPage(chapter, declared)), commandLine()]
  const list = pages.map(({ name, title, about }) => `- [${title}](${name}.md): ${about}`)
  const text = `# Reference\n\n${INTRO}\n\n${list.join('\n')}\n`
  return [{ name: 'index', title: 'Reference', about: INTRO, text }, ...pages]
}

export interface Located extends Declaration {
  /** From the root of the repository. */
  readonly file: string
}

function declarations(): ReadonlyMap<string, Located[]> {
  const found = globSync('src/**/*.ts', { cwd: ROOT })
  const files = found.map((file) => file.replaceAll('\\', '/')).toSorted()
  const all = files.flatMap((file) =>
    readDeclarations(readFileSync(join(ROOT, file), 'utf8')).map((each) => ({ ...each, file })),
  )
  return Map.groupBy(all, ({ name }) => name)
}

function chapterPage({ title, names }: Chapter, declared: ReadonlyMap<string, Located[]>): Page {
  const parts = names.map((name) => {
    const all = declared.get(name) ?? []
    const exported = all.filter(({ isExported }) => isExported)
    const [found, ...others] = exported.length > 0 ? exported : all
    if (found === undefined) throw new Error(`outline.ts: nothing is called ${name}`)
    if (others.length > 0) throw new Error(`outline.ts: ${name} is there more than once`)
    return declarationText(found)
  })
  const about = names.map(code).join(', ')
  return { name: nameOf(title), title, about, text: `# ${title}\n\n${parts.join('\n')}` }
}

function nameOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
}

/** A section of a page. */
export function declarationText({ name, kind, head, text, doc, members, file }: Located): string {
  const heads = {
    interface: inherited(head),
    class: '',
    function: head.split('\n').map(code).join('  \n'),
    type: block(file, text),
  }
  const about = docText(doc, '', file)
  const parts = [`## ${name}`, heads[kind], about, members.map(memberText).join('\n')]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/** What an interface extends, in words. */
function inherited(head: string): string {
  const [, bases] = /^interface \w+(?:<.*?>)? extends (.*)$/.exec(head) ?? []
  return bases === undefined ? '' : `Has what \`${bases}\` has, and:`
}

function memberText({ signature, doc }: Member): string {
  const about = docText(doc, '  ')
  return `- **\`${signature}\`**${about && `  \n  ${about}`}`
}

/**
 * Sentences as they are, each tag a sentence of its own, examples as code.
 * @param file whose lines an example of several lines is; undefined inside a list
 */
function docText(doc: string, margin: string, file?: string): string {
  const [text = '', ...tags] = doc.split(/^@|(?<= )@(?=example )/m)
  const parts = [text.trim(), ...tags.map((tag) => tagText(tag, file))].filter(Boolean)
  return parts.join('\n').replaceAll('\n', `\n${margin}`).replaceAll(/ +$/gm, '')
}

function tagText(tag: string, file: string | undefined): string {
  const [, name = '', text = ''] = /^(\w+)\s*([\s\S]*)$/.exec(tag.trim()) ?? []
  switch (name) {
    case 'example':
      return text.includes('\n') ? `\n${block(file, text)}\n` : `Example: ${code(text)}`
    case 'param':
      return sentence(text.replace(/^(\S+) (?:- )?/, '`$1`: '))
    case 'throws':
      return sentence(`Throws ${text}`)
    case 'returns':
      return sentence(`Returns ${text}`)
    case 'deprecated':
      return `*Deprecated.* ${text}`
    default:
      return text
  }
}

function sentence(text: string): string {
  return /[.:)]$/.test(text) ? text : `${text}.`
}

function block(file: string | undefined, text: string): string {
  return `${file === undefined ? '' : `<!-- ${file} -->\n`}\`\`\`ts\n${text}\n\`\`\``
}

function code(text: string): string {
  return `\`${text}\``
}

function commandLine(): Page {
  const commands = COMMANDS.map(
    (each) => `## lineclear ${each.words}\n\n${pre(usageText([each]))}\n`,
  )
  const title = 'The command line'
  const text = `# ${title}\n\n${pre(helpText(SECTIONS))}\n\n${commands.join('\n')}`
  return { name: nameOf(title), title, about: 'every command of `npx lineclear`', text }
}

function pre(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``
}
