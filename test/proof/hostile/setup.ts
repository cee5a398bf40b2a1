import { beforeEach } from 'vitest'
import { backToPresent } from './time.ts'

beforeEach(backToPresent)
