import { it } from 'vitest'
import { expectSame } from './explored.ts'

it.each(['consumer', 'flow'] as const)(
  'a %s behaves the same under every crash, traced or not',
  (name) => expectSame(name, 1_000),
)
