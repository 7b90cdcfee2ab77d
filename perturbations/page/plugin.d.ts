// Types for the script of a mode that is a plug-in: it is no module, so they are global.
type Runtime = import("./runtime.js").Runtime;
type Press = import("./runtime.js").Press;
type Narrowing = import("./runtime.js").Narrowing;
type Natives = import("./natives.js").Natives;
type SiteView = import("./site_view.js").SiteView;
type Control = import("./keys.js").Control;
type KeyedNode = import("./keys.js").KeyedNode;
type ToldNode = import("./changes.js").ToldNode;
