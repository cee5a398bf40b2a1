// @acts

import { readFile, realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { type Clock, systemClock } from '../../../library/base/clock.ts'

/**
 * What all paths of one run may cost together. A template names other files, and in one that was made to, each names all others:
 * what is beyond the budget stays unread, and the run says so.
 */
const MOST_FILES = 300
/** Bytes. A plan of Terraform for thousands of resources has some ten million. */
const MOST_BYTES = 64_000_000
const LONGEST_MS = 10_000

export interface Reading {
  /**
   * @param below the folder outside of which nothing is read that a template names; undefined: the user has named it
   * @throws Error when it is no regular file, is outside, or the budget is spent
   */
  text(file: string, below?: string): Promise<string>
}

export function openReading(clock: Pick<Clock, 'now'> = systemClock): Reading {
  const until = clock.now() + LONGEST_MS
  let [files, bytes] = [MOST_FILES, MOST_BYTES]
  return {
    async text(file, below) {
      files -= 1
      // @protects a folder of templates that name each other is read to an end
      // @without false @tests test/tools/doctor/reading
      if (files < 0) throw new Error(`more than ${MOST_FILES} files`)
      if (clock.now() > until) throw new Error(`not read within ${LONGEST_MS / 1_000} seconds`)
      const path = await realpath(file)
      // @protects a template names no file outside of its folder
      // @without false @tests test/tools/doctor/reading
      if (below !== undefined && !path.startsWith((await realpath(below)) + sep)) {
        throw new Error('outside of the folder of the template')
      }
      const found = await stat(path)
      if (!found.isFile()) throw new Error('no regular file')
      bytes -= found.size
      if (bytes < 0) throw new Error(`more than ${MOST_BYTES / 1_000_000} MB in all files`)
      return readFile(path, 'utf8')
    },
  }
}
