import { isDeepStrictEqual } from 'node:util'
import { beginAll, ENDS, endAll, loadLibrary, recorded } from '../../formats/library.ts'

/** What version 0.2.0 writes is what was written down of it, and it ends what this one has begun. @returns what is wrong */
export async function compareFormats(): Promise<readonly string[]> {
  const earlier = await loadLibrary('earlier')
  const compared = {
    'v0.2.0.snap': [await beginAll(earlier), recorded('v0.2.0')],
    'ends of present.snap': [await endAll(earlier, recorded('present')), ENDS],
  }
  return Object.entries(compared).flatMap(([name, [is, wanted]]) =>
    isDeepStrictEqual(is, wanted) ? [] : [name],
  )
}
