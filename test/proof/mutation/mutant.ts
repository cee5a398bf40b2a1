import { readFileSync } from 'node:fs'

/** A mutant by what it changes. */
export interface Mutant {
  readonly file: string
  /** On which it begins, from 1. */
  readonly line: number
  readonly mutator: string
  /** The line, without its indentation, and what is put in its place. Of several lines the first ones are shown. */
  readonly code: string
  readonly becomes: string
}

interface Position {
  readonly line: number
  readonly column: number
}

/** What the mutation run reports of it. Lines and columns count from 1. */
export interface Found {
  readonly fileName: string
  readonly mutatorName: string
  readonly replacement: string
  readonly location: { readonly start: Position; readonly end: Position }
}

export function identify({ fileName, mutatorName, replacement, location }: Found): Mutant {
  const lines = readFileSync(fileName, 'utf8').split('\n')
  const { start, end } = location
  const code = lines.slice(start.line - 1, end.line)
  const before = code.at(0)?.slice(0, start.column - 1) ?? ''
  const after = code.at(-1)?.slice(end.column - 1) ?? ''
  return {
    file: nameOf(fileName),
    line: start.line,
    mutator: mutatorName,
    code: onOneLine(code.join('\n')),
    becomes: onOneLine(before + replacement + after),
  }
}

/** The same in both parts of a run. */
export function keyOf({ file, line, mutator, becomes }: Mutant): string {
  return [file, line, mutator, becomes].join('\n')
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/src/') + 1)
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
