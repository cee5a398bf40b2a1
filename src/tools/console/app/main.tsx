import { render } from 'preact'
import { address, go } from './route.ts'
import { loadSession, takeToken } from './api.ts'
import { followServer } from './followServer.ts'
import { keepFocus } from './shell/keepFocus.ts'
import { markTexts } from './parts/safeText.ts'
import { Shell } from './shell/Shell.tsx'
import { followStream } from './stream/stream.ts'

takeToken()
// Where the file of `--open` leads.
if (address.value.path === '/open') go('/', {}, { replace: true })
markTexts()
keepFocus()
followStream()
followServer()
void loadSession()
const root = document.querySelector('#app')
if (root !== null) render(<Shell />, root)
