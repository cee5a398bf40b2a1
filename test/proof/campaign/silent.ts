import type { Logger } from '../../../src/library/base/logger.ts'

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }
