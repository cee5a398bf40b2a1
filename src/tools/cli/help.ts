import { optionName } from '../operator/text/commandLine.ts'
import type { Argument, Option, Row } from '../commands/row.ts'
import type { Section } from './command.ts'
import { GLOBAL_OPTIONS } from './globals.ts'

const EXIT_CODES = `Exit codes: 0 done, or nothing to do; 1 something found, or a change refused; 2 wrong arguments;
3 no answer from the table or AWS; 4 not found.`

export function helpText(sections: readonly Section[]): string {
  const width = Math.max(
    ...sections.flatMap(({ commands }) => commands.map(({ words }) => words.length)),
  )
  const parts = sections.map(({ title, commands }) => {
    const lines = commands.map(({ words, summary }) => `  ${words.padEnd(width)}  ${summary}`)
    return `${title}:\n${lines.join('\n')}`
  })
  return `lineclear [OPTIONS] COMMAND …

${parts.join('\n\n')}

lineclear COMMAND --help explains one command. Options of all commands:

${linesOf(optionRows(GLOBAL_OPTIONS)).join('\n')}

${EXIT_CODES}`
}

/** For `lineclear COMMAND --help`: of the commands that begin with these words. */
export function usageText(rows: readonly Row[]): string {
  const [row, ...others] = rows
  if (row === undefined) return ''
  if (others.length === 0) return usageOf(row)
  return rows.map((each) => `${formOf(each)}\n  ${each.summary}`).join('\n')
}

function usageOf(row: Row): string {
  const { summary, about = [], arguments: places, options, examples } = row
  const values = Object.values(places).map((each) => [wordOf(each), each.help] as const)
  const lines = linesOf([...values, ...optionRows(options)])
  return [
    formOf(row),
    '',
    ...[`${summary}.`, ...about].flatMap((line) => wrapped('  ', line)),
    ...(lines.length > 0 ? ['', ...lines] : []),
    '',
    ...examples.map((each, at) => `${at === 0 ? 'Example:' : '        '} lineclear ${each}`),
  ].join('\n')
}

/** `lineclear dlq edit QUEUE --id ID [OPTIONS]`. */
function formOf({ words, arguments: places, options }: Row): string {
  const named = Object.entries(options)
  const required = named.filter(([, { required }]) => required === true)
  return [
    'lineclear',
    words,
    ...Object.values(places).map((each) =>
      each.optional === true ? `[${wordOf(each)}]` : wordOf(each),
    ),
    ...required.map(([name, option]) => optionForm(name, option)),
    ...(required.length < named.length ? ['[OPTIONS]'] : []),
  ].join(' ')
}

/** `--older-than TIME`. */
function optionForm(name: string, option: Option): string {
  const form = [optionName(name), wordOf(option)].filter((each) => each !== '').join(' ')
  return option.many === true ? `${form}…` : form
}

function optionRows(options: Row['options']): readonly (readonly [string, string])[] {
  return Object.entries(options).map(([name, option]) => {
    const { help, with: beside } = option
    const when = beside === undefined ? '' : `with ${optionName(beside)}: `
    const standard = option.default === undefined ? '' : ` (default ${option.default})`
    return [optionForm(name, option), `${when}${help}${standard}`]
  })
}

function linesOf(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.flatMap(([name, help]) => wrapped(`  ${name.padEnd(width)}  `, help))
}

const WIDTH = 110

/** The words of a text behind `head`; what does not fit into a line continues below its beginning. */
function wrapped(head: string, text: string): readonly string[] {
  const lines: string[] = []
  let line = head
  for (const word of text.split(' ')) {
    const isFirst = line.trim() === '' || line === head
    if (!isFirst && line.length + word.length >= WIDTH) {
      lines.push(line)
      line = ' '.repeat(head.length) + word
    } else line += isFirst ? word : ` ${word}`
  }
  return [...lines, line]
}

function wordOf({ word, kind }: Argument | Option): string {
  return word ?? kind.word
}
