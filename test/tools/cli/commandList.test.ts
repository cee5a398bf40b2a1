import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import { findCommand } from '../../../src/tools/cli/findCommand.ts'
import { readGlobals } from '../../../src/tools/cli/globals.ts'
import { readGiven } from '../../../src/tools/cli/readGiven.ts'

/** A quoted text is one argument, with the other quotes in it. */
function wordsOf(line: string): readonly string[] {
  const words = line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)
  return [...words].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, one?: string, other?: string) => one ?? other ?? '',
    ),
  )
}

describe('the table of commands', () => {
  it.each(
    COMMANDS.flatMap(({ words, examples }) => examples.map((each) => [words, each] as const)),
  )('of %s has an example that can be typed: %s', (words, example) => {
    const { command, args } = findCommand(readGlobals(wordsOf(example)).rest, COMMANDS)
    expect(command.words).toBe(words)
    expect(() => readGiven(command, args)).not.toThrow()
  })

  it('has a sentence for each command in the manual', async () => {
    const manual = await readFile(new URL('../../../src/tools/README.md', import.meta.url), 'utf8')
    const [, section = ''] = /\n## The commands\n([\s\S]*?)\n## /.exec(manual) ?? []
    const named = [...section.matchAll(/^- `([^`]+)`: \S/gm)].map(([, words]) => words)
    expect(new Set(named)).toEqual(new Set(COMMANDS.map(({ words }) => words)))
    expect(named).toHaveLength(COMMANDS.length)
  })
})
