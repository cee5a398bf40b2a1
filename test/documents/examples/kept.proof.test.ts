import { describe, it } from 'vitest'
import { EXAMPLES } from '../../../examples/catalogue.ts'
import { keepExample } from './kept.ts'

// Messages of killed functions come back after 18 s.
describe.concurrent('npm run example NAME -- --keep', { timeout: 300_000 }, () => {
  it.for(Object.keys(EXAMPLES))('%s stays up until Ctrl-C', async (name, { expect }) => {
    const ended = { code: 0, left: false, alive: false }
    expect(await keepExample(name)).toMatchObject({ explained: 0, listed: 0, ...ended })
  })
})
