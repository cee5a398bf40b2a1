import type { TableReader } from '../../../src/tools/operator/aws/tableReader.ts'

/** For decisions that read single items only. */
export const NO_READER: Pick<TableReader, 'partition'> = {
  partition: async (pk) => {
    throw new Error(`nothing of this test reads all of ${pk}`)
  },
}
