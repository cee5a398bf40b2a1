import { messageOf } from '../../base/errors.ts'
import { lazily } from '../../base/lazily.ts'
import type { Feature } from '../../run/deliver/feature.ts'
import { type Mapping, openMapping } from './mapping.ts'

export const loadProbe: () => Promise<typeof import('./probeMapping.ts')> = lazily(
  () => import('./probeMapping.ts'),
)

/**
 * Finds out whether the event source mapping reads `batchItemFailures`, and keeps the records of one that does not.
 * @param reads the option `reportBatchItemFailures`
 */
export function watchMapping(reads: false | undefined): Feature {
  const known = new Map<string, Mapping>()
  const mappingOf = (queueArn: string): Mapping => {
    const mapping = known.get(queueArn) ?? openMapping(reads === false ? 'ignores' : 'unknown')
    known.set(queueArn, mapping)
    return mapping
  }
  return {
    responses: {
      isOpen: (queueArn) => mappingOf(queueArn).isInQuestion(),
      async received(records, site) {
        try {
          const { probeMapping } = await loadProbe()
          await probeMapping(mappingOf(site.queueArn), records, site)
        } catch (error) {
          site.logger.error(
            'cannot find out whether the event source mapping reads batchItemFailures',
            { error: messageOf(error) },
          )
        }
      },
      async judge(stay, finished, site) {
        const mapping = mappingOf(site.queueArn)
        // @protects a mapping that ignores the response gets a failed batch
        // @tests test/deliver/kept
        if (stay.length > 0 && mapping.partialResponses() === 'ignores') return undefined
        const { witnessIn } = await loadProbe()
        const named = [...stay, ...(await witnessIn(mapping, finished, site))]
        mapping.noteReported(named, site.now())
        return named
      },
    },
  }
}
