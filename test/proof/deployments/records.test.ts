import { describe, expect, it } from 'vitest'
import { sampled } from '../depth.ts'
import { playSome } from './play.ts'
import { ROWS } from './recordRows.ts'
import { PATHS, scriptOf } from './records.ts'

describe.each(Object.entries(ROWS).map(([what, row], nth) => ({ what, row, nth })))(
  'a consumer of single records: $what',
  ({ row, nth }) => {
    const scripts = Object.entries(PATHS).map(([how, path]) => ({
      how,
      script: scriptOf(row, path),
    }))
    it.each(
      sampled(
        scripts
          .map((each, index) => ({ ...each, nth: nth + index }))
          .filter(({ script }) => script.scenarios.length > 0),
        3,
      ),
    )(
      'one effect per request, or a dead letter that says why: $how',
      async ({ script, nth: from }) => {
        expect(await playSome(script, from)).toEqual({})
      },
    )
  },
)
