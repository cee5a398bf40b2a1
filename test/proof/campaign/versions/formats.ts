import { isDeepStrictEqual } from 'node:util'
import * as present from '../../formats/library.ts'
import { type Formats, loadEarlierFormats } from './earlier.ts'

/** Each version ends what the other one has begun, in each life that both know. @returns what is wrong */
export async function compareFormats(): Promise<readonly string[]> {
  const earlier = await loadEarlierFormats()
  const wrong = await Promise.all([
    wrongEnds('the earlier version ends', earlier, present),
    wrongEnds('this version ends', present, earlier),
  ])
  return wrong.flat()
}

async function wrongEnds(what: string, by: Formats, of: Formats): Promise<readonly string[]> {
  const left = of.recorded()
  const shared = Object.keys(by.ENDS).filter((life) => left[life] !== undefined)
  const ends = await by.endAll(await by.loadLibrary(), left, shared)
  return shared
    .filter((life) => !isDeepStrictEqual(ends[life], by.ENDS[life]))
    .map((life) => `${what}: ${life}: ${JSON.stringify(ends[life])}`)
}
