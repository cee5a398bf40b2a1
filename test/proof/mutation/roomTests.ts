import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { ROOMS } from './rooms.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const room = ROOMS.find(({ name }) => name === process.env['MUTATION_ROOM'])
const files = (room?.tests ?? []).flatMap((tests) => globSync(tests, { cwd: ROOT }))

/** All tests of the room as one file: for each mutant modules are loaded once, and not once for each file that reaches it. */
for (const file of files) await import(resolve(ROOT, file))
