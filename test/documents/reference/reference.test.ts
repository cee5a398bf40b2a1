import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../readme/documents.ts'
import { readDeclarations } from './declarations.ts'
import { reference } from './reference.ts'

const SOURCE = `import { a } from './a.ts'

/** Its argument. */
export interface Options<Given extends object = object>
  extends Base {
  /** Its name. Default: none. */
  readonly name?: string

  /**
   * Called once.
   * @example run(1)
   */
  run<T>(
    value: T,
  ): Promise<T>
  readonly nested: {
    /** Inside. */
    readonly one: 1
  }
}

/** Not exported. */
interface Hidden {
  readonly x: 1
}

export type Kind = 'a' | 'b'
export type Other =
  | { readonly a: 1 }
  /** Second. */
  | { readonly b: 2 }

/** Does it. */
export async function work(
  options: Options,
): Promise<void> {
  return undefined
}

/** Fails. */
export class Failure extends Error {
  readonly code = 1
}
`

it('the reference is current: npm run docs', () => {
  expect(readFileSync(join(ROOT, 'src/tools/reference/README.md'), 'utf8')).toBe(reference())
})

it('reads what is exported, with its doc comments and members', () => {
  expect(readDeclarations(SOURCE)).toMatchObject([
    {
      name: 'Options',
      kind: 'interface',
      doc: 'Its argument.',
      head: 'interface Options<Given extends object = object> extends Base',
      members: [
        { signature: 'name?: string', doc: 'Its name. Default: none.' },
        {
          signature: 'run<T>(value: T): Promise<T>',
          doc: 'Called once.\n@example run(1)',
        },
        { signature: 'nested: { readonly one: 1 }', doc: '' },
      ],
    },
    {
      name: 'Failure',
      kind: 'class',
      doc: 'Fails.',
      head: 'class Failure extends Error',
      members: [],
    },
    {
      name: 'work',
      kind: 'function',
      doc: 'Does it.',
      head: 'function work(options: Options): Promise<void>',
      members: [],
    },
    { name: 'Kind', kind: 'type', doc: '', members: [] },
    { name: 'Other', kind: 'type', doc: '', members: [] },
  ])
})
