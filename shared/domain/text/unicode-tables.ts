// Made by test/tools/generate-unicode.mjs from the Unicode Character Database 17.0.0. Numbers are in base 36.
// Unicode data © Unicode, Inc., under the Unicode License v3.

/** Characters whose canonical combining class is not 0 (934): one, or `first+count`. */
export const COMBINING =
  'lc+27 nk+w w3+5 13l+19 14v 14x+2 150+2 153 174+b 18r+l 19s 1cm+7 1cv+6 1d3+2 1d6+4 1e9 1f4+r 1kb+9 1kt 1li+4 1ln+9 ' +
  '1lx+3 1m1+5 1nd+3 1p3+9 1qi+o 1r7+t 1to 1u5 1u9+4 1x8 1xp 1z2 20s 219 24c 24t 27w 28d 2bx 2f0 2fh 2fp+2 2ik 2j1 2m3+2 ' +
  '2ml 2q2 2t4+3 2tk+4 2wo+3 2x4+4 2zc+2 305 307 309 31t+2 31w 322+4 328 32a+3 32e+2 346 37b 37d+2 39p 3tp+3 4k4+2 4l0 4pe ' +
  '4pp 4vd 4zd+3 55j+2 57k 585+8 58f 59s+e 5a7+g 5dg 5dw 5ez+9 5gq+2 5ie 5iq+2 5kn 5ow+3 5p0+d 5pe+7 5pp 5pw 5q0+2 5vk+1s ' +
  '6hc+d 6ht 6hx+c 8vj+3 8zj 928+w 9ii+6 9ll+2 wvj wvo+a wwu+2 wz4+2 x6u x7w xc4 xcw+i xez+3 xg3 xir xj4 xps xpu+3 xpz+2 ' +
  'xq6+2 xq9 xrq xyl 1dlq 1e74+g 1eyl 1f4w 1f92+5 1gjx 1gjz 1gl4+3 1glb 1gpx+2 1h5w+4 1h7t+5 1hgr+2 1hj1+3 1hl2+b 1hmq+4 ' +
  '1hs6 1htc 1htr 1hvd+2 1hxc+3 1hyr+2 1i0j 1i2o 1i2y 1i5x+2 1iax+2 1id7+2 1idp 1iee+7 1ieo+5 1iha+3 1iki 1ikm 1ila 1io2+2 ' +
  '1iv3+2 1iyn 1j1y+2 1j57 1jcp+2 1jjx+2 1jk3 1jog 1jqs 1jrb 1jtl 1k5b 1kci 1kck+2 1kev 1kqp+2 1xrj 1zow+5 1zqo+7 20og+2 ' +
  '2ftq 2jxh+5 2jxp+6 2jy3+8 2jyd+7 2jze+4 2k3m+3 2mtc+7 2mtk+h 2mu3+7 2mub+2 2mue+5 2mxb 2n1s+7 2nce 2ne4+4 2nsc+4 2nzi+2 ' +
  '2ok0+7 2on8+7'

/** Case foldings of status C and F to one character (1453): `first,step,count,distance`. */
export const FOLDS_TO_ONE =
  '1t,1,q,w 51,0,1,lj 5c,1,n,w 60,1,7,w 74,2,o,1 8i,2,3,1 8p,2,8,1 96,2,n,1 ag,0,1,-3d ah,2,3,1 an,0,1,-7g ap,0,1,5u ' +
  'aq,2,2,1 au,0,1,5q av,0,1,1 ax,1,2,5p az,0,1,1 b2,0,1,27 b3,0,1,5m b4,0,1,5n b5,0,1,1 b7,0,1,5p b8,0,1,5r ba,0,1,5v ' +
  'bb,0,1,5t bc,0,1,1 bg,0,1,5v bh,0,1,5x bj,0,1,5y bk,2,3,1 bq,0,1,62 br,0,1,1 bt,0,1,62 bw,0,1,1 by,0,1,62 bz,0,1,1 ' +
  'c1,1,2,61 c3,2,2,1 c7,0,1,63 c8,0,1,1 cc,0,1,1 ck,0,1,2 cl,0,1,1 cn,0,1,2 co,0,1,1 cq,0,1,2 cr,2,9,1 da,2,9,1 dt,0,1,2 ' +
  'du,2,2,1 dy,0,1,-2p dz,0,1,-1k e0,2,k,1 f4,0,1,-3m f6,2,9,1 fu,0,1,8bv fv,0,1,1 fx,0,1,-4j fy,0,1,8bs g1,0,1,1 ' +
  'g3,0,1,-5f g4,0,1,1x g5,0,1,1z g6,2,5,1 n9,0,1,38 og,2,2,1 om,0,1,1 ov,0,1,38 p2,0,1,12 p4,1,3,11 p8,0,1,1s pa,1,2,1r ' +
  'pd,1,h,w pv,1,9,w qq,0,1,1 r3,0,1,8 r4,0,1,-u r5,0,1,-p r9,0,1,-f ra,0,1,-m rc,2,c,1 s0,0,1,-1i s1,0,1,-1c s4,0,1,-1o ' +
  's5,0,1,-1s s7,0,1,1 s9,0,1,-7 sa,0,1,1 sd,1,3,-3m sg,1,g,28 sw,1,w,w v4,2,h,1 wa,2,r,1 xs,0,1,f xt,2,7,1 y8,2,1c,1 ' +
  '10x,1,12,1c 3a8,1,12,5ls 3bb,0,1,5ls 3bh,0,1,5ls 3y0,1,6,-8 5mo,0,1,-4su 5mp,0,1,-4st 5mq,0,1,-4sk 5mr,1,2,-4si ' +
  '5mt,0,1,-4sj 5mu,0,1,-4sc 5mv,0,1,-4ro 5mw,0,1,r7n 5mx,0,1,1 5n4,1,17,-2bk 5od,1,3,-2bk 5xc,2,23,1 61n,0,1,-1m ' +
  '61s,2,1c,1 64o,1,8,-8 654,1,6,-8 65k,1,8,-8 660,1,8,-8 66g,1,6,-8 66x,2,4,-8 67c,1,8,-8 69k,1,2,-8 69m,1,2,-22 ' +
  '69q,0,1,-5j9 6a0,1,4,-2e 6ag,1,2,-8 6ai,1,2,-2s 6aw,1,2,-8 6ay,1,2,-34 6b0,0,1,-7 6bc,1,2,-3k 6be,1,2,-3i 6jq,0,1,-5st ' +
  '6ju,0,1,-6gv 6jv,0,1,-6di 6k2,0,1,s 6lc,1,g,g 6mb,0,1,1 792,1,q,q 8ow,1,1c,1c 8rk,0,1,1 8rm,0,1,-8af 8rn,0,1,-2xy ' +
  '8ro,0,1,-89z 8rr,2,3,1 8rx,0,1,-8bg 8ry,0,1,-8al 8rz,0,1,-8bj 8s0,0,1,-8bi 8s2,0,1,1 8s5,0,1,1 8se,1,2,-8cf 8sg,2,1e,1 ' +
  '8vf,2,2,1 8vm,0,1,1 wu8,2,n,1 ww0,2,e,1 x0i,2,7,1 x0y,2,v,1 x2x,2,2,1 x31,0,1,-r9g x32,2,5,1 x3f,0,1,1 x3h,0,1,-wmg ' +
  'x3k,2,2,1 x3q,2,a,1 x4a,0,1,-wn8 x4b,0,1,-wnj x4c,0,1,-wnf x4d,0,1,-wn5 x4e,0,1,-wn8 x4g,0,1,-wlu x4h,0,1,-wmi ' +
  'x4i,0,1,-wlx x4j,0,1,ps x4k,2,8,1 x50,0,1,-1c x51,0,1,-wn7 x52,0,1,-raw x53,2,2,1 x57,0,1,-wo7 x58,0,1,1 x5c,0,1,1 ' +
  'x5i,2,3,1 x5o,0,1,-wu9 x6d,0,1,1 xv4,1,28,-tzk 1ee9,1,q,w 1fcw,1,14,14 1fhs,1,10,14 1fn4,1,b,13 1fng,1,f,13 1fnw,1,7,13 ' +
  '1fo4,1,2,13 1h1c,1,1f,1s 1h74,1,m,w 1jfk,1,w,w 20cg,1,w,w 2olc,1,y,y'

/** Case foldings of status F to several characters (104): the character, then what it becomes. */
export const FOLDS_TO_MANY =
  '67,37,37 8g,2x,lj 95,jg,32 ds,2y,lo pc,qh,lk,ld q8,qt,lk,ld 13b,12d,136 61i,2w,mp 61j,38,lk 61k,3b,lm 61l,3d,lm ' +
  '61m,2p,ji 61q,37,37 66o,qt,lv 66q,qt,lv,lc 66s,qt,lv,ld 66u,qt,lv,n6 680,64g,qh 681,64h,qh 682,64i,qh 683,64j,qh ' +
  '684,64k,qh 685,64l,qh 686,64m,qh 687,64n,qh 688,64g,qh 689,64h,qh 68a,64i,qh 68b,64j,qh 68c,64k,qh 68d,64l,qh ' +
  '68e,64m,qh 68f,64n,qh 68g,65c,qh 68h,65d,qh 68i,65e,qh 68j,65f,qh 68k,65g,qh 68l,65h,qh 68m,65i,qh 68n,65j,qh ' +
  '68o,65c,qh 68p,65d,qh 68q,65e,qh 68r,65f,qh 68s,65g,qh 68t,65h,qh 68u,65i,qh 68v,65j,qh 68w,674,qh 68x,675,qh ' +
  '68y,676,qh 68z,677,qh 690,678,qh 691,679,qh 692,67a,qh 693,67b,qh 694,674,qh 695,675,qh 696,676,qh 697,677,qh ' +
  '698,678,qh 699,679,qh 69a,67a,qh 69b,67b,qh 69e,67k,qh 69f,q9,qh 69g,q4,qh 69i,q9,n6 69j,q9,n6,qh 69o,q9,qh 69u,67o,qh ' +
  '69v,qf,qh 69w,q6,qh 69y,qf,n6 69z,qf,n6,qh 6a4,qf,qh 6aa,qh,lk,lc 6ab,qh,lk,ld 6ae,qh,n6 6af,qh,lk,n6 6aq,qt,lk,lc ' +
  '6ar,qt,lk,ld 6as,qp,lv 6au,qt,n6 6av,qt,lk,n6 6b6,67w,qh 6b7,qx,qh 6b8,r2,qh 6ba,qx,n6 6bb,qx,n6,qh 6bg,qx,qh ' +
  '1dkw,2u,2u 1dkx,2u,2x 1dky,2u,30 1dkz,2u,2u,2x 1dl0,2u,2u,30 1dl1,37,38 1dl2,37,38 1dlf,12s,12u 1dlg,12s,12d ' +
  '1dlh,12s,12j 1dli,132,12u 1dlj,12s,12l'
