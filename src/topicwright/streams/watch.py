"""A watch over a stream."""
from __future__ import annotations
from collections import Counter
from typing import Any
import numpy as np
from .mislabelled import Mislabelled
from .mislabelled_kernels import speak_for
from .watch_memory import Memory
from .watch_reading import Document, known_of

class Watch:
    def __init__(self, model, window=1000, every=100, mislabelled=0.002):
        self.model=model; self.every=every
        self.memory=Memory(window); self.mis=Mislabelled(mislabelled, window); self.n=0
    def learn(self, X, y=None, ids=None):
        m=self.model
        stream = m._stream if m._has_begun else m._started()
        items=m._items(stream,X,y)
        m._stream, stream.new_labels = stream, []
        names = ids if ids is not None else range(self.n,self.n+len(items))
        self.alerts=[]; self.at=0; self.doc=None
        def finish(upto):
            while self.at<upto:
                self._after(stream, self.doc if items[self.at].labels is not None else None); self.at+=1
        self.memory.follow(stream)
        place=iter(range(len(items)))
        def before(item):
            i=next(j for j in place if items[j] is item)
            finish(i)
            self.doc=self._before(stream,item,names[i]) if item.labels is not None else None
        stream.read(items,before)
        finish(len(items))
        m._changed()
        return self.alerts
    def _before(self, stream, item, name):
        self.memory.follow(stream)
        times=Counter(item.words); number=stream.words.number
        pairs=[(number[w],n) for w,n in times.items() if w in number]
        a=np.array(pairs,np.uint32).reshape(-1,2)
        doc=Document(name,np.ascontiguousarray(a[:,0]),np.ascontiguousarray(a[:,1]),np.array(sorted(stream.labels[l] for l in item.labels),np.uint32))
        al=self.mis.look(stream,self.memory,doc,item.labels)
        if al: self.alerts.append(al)
        return doc
    def _after(self, stream, doc):
        if doc is not None:
            me=self.memory
            n=len(doc.words)
            speak_for(known_of(stream),doc.words,doc.labels,me.prior,np.zeros(n,np.uint64),np.zeros(n),me.slots,me.values)
            me.add(doc)
        self.n+=1
        if self.n%self.every==0:
            self.memory.age(self.every); self.mis.calibrate()
