import { resolve } from 'node:path'
import { ROOMS, ROOT, testsOf } from './rooms.ts'

const room = ROOMS.find(({ name }) => name === process.env['MUTATION_ROOM'])

/** All tests of the room as one file: for each mutant modules are loaded once, and not once for each file that reaches it. */
for (const file of room === undefined ? [] : testsOf(room)) await import(resolve(ROOT, file))
