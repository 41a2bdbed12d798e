import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/entrance.css'
import './styles/frame.css'
import './styles/memories.css'
import './styles/write.css'
import './styles/review.css'
import './styles/settings.css'
import './styles/records.css'
import './styles/knowledge.css'
import './styles/privacy.css'
import './styles/agents.css'
import './styles/first-run.css'
import './styles/quick.css'
import './styles/recovery.css'
import './styles/timeline.css'
import './styles/graph.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { App } from './app.tsx'
import { Entrance } from './screens/entrance/entrance.tsx'
import { RecoveryGate } from './screens/recovery/gate.tsx'
import { applyPreferences } from './state/preferences.ts'

// Its compiled checks are made with `new Function`, which the content security policy refuses.
z.config({ jitless: true })
applyPreferences()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root.')
const entrance = <Entrance>{(client, onRefused) => <App client={client} onRefused={onRefused} />}</Entrance>
createRoot(root).render(<StrictMode>{window.loom ? <RecoveryGate>{entrance}</RecoveryGate> : entrance}</StrictMode>)
