import { describe, expect, it } from 'vitest'
import { playAll } from './play.ts'
import { PATHS, ROWS, scriptOf } from './records.ts'

describe.each(Object.entries(ROWS))('a consumer of single records: %s', (_what, row) => {
  it.each(Object.entries(PATHS).filter(([, path]) => scriptOf(row, path).scenarios.length > 0))(
    'one effect per request, or a dead letter that says why: %s',
    async (_how, path) => {
      expect(await playAll(scriptOf(row, path))).toEqual({})
    },
  )
})
