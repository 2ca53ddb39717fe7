"""A watch over a stream."""
from __future__ import annotations
from collections import Counter
from typing import Any
import numpy as np
from ..models.uninterrupted import uninterrupted
from .mislabelled import Mislabelled
from .watch_memory import Memory
from .watch_reading import Document

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
        al=[]; at=0
        self.memory.follow(stream)
        while at<len(items):
            k=self.every-self.n%self.every
            with uninterrupted():
                stream.read(items[at:at+k])
                self.memory.follow(stream)
                for item,name in zip(items[at:at+k],names[at:at+k]):
                    self.n+=1
                    if item.labels is None: continue
                    d=document(stream,item,name)
                    a=self.mis.look(self.memory,stream.settings.alpha,d,item.labels)
                    if a: al.append(a)
                    self.memory.add(d)
                if self.n%self.every==0:
                    self.memory.turn(stream,self.every); self.mis.calibrate()
            at+=k
        m._changed()
        return al
def document(stream,item,name):
    times=Counter(stream.words.known(item.words))
    n=len(times)
    return Document(name,np.fromiter(times.keys(),np.uint32,n),np.fromiter(times.values(),np.uint32,n),np.array(sorted(stream.labels[l] for l in item.labels),np.uint32))
