import type { Sample, SampleMaker } from './definition.ts'

export function isMaker(sample: Sample | undefined): sample is SampleMaker {
  return typeof sample === 'function'
}

/** @param number counts from 1 */
export function sampleAt(sample: Sample | undefined, number: number): unknown {
  return isMaker(sample) ? sample(number) : sample
}
