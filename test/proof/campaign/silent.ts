import type { Logger } from '../../../src/base/logger.ts'

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }
